extension YAMLNode {
  /// What two nodes say together of the same key, whose values have `form`: mappings are joined key by key, as far down as the form says that
  /// they are mappings of the language; anything else, data and types included, is what `other` says.
  ///
  /// - Parameters:
  ///   - other: What takes precedence.
  ///   - form: The form of both.
  ///   - count: Grows by the number of entries that are looked at.
  /// - Returns: The node, which stands where `other` does.
  func joined(with other: YAMLNode, as form: ValueForm, count: inout Int) -> YAMLNode {
    guard let entries, let others = other.entries, let forms = form.members else { return other }
    count += entries.count + others.count
    var places: [String: Int] = [:]
    for (place, entry) in entries.enumerated() { places[entry.name] = place }
    var all = entries
    for entry in others {
      guard let place = places[entry.name] else {
        all.append(entry)
        continue
      }
      var value = entry.value
      if let form = forms(entry.name) { value = all[place].value.joined(with: value, as: form, count: &count) }
      all[place] = YAMLEntry(key: entry.key, value: value)
    }
    return other.with(all)
  }
}

extension ValueForm {
  /// The form of each member of a mapping, nil for a key that there is not; nil where the form is no mapping whose keys are joined.
  fileprivate var members: ((String) -> ValueForm?)? {
    switch self {
    case .keys(let rows): return { name in rows.first { $0.key == name }?.form }
    case .map(_, let value): return { _ in value }
    case .keysAndMap(let rows, _, _, let value): return { name in rows.first { $0.key == name }?.form ?? value }
    case .anyOf(let forms): return forms.lazy.compactMap(\.members).first
    case .text, .template, .script, .expression, .formula, .bool, .int, .number, .duration, .size, .name, .choice:
      return nil
    case .data, .type, .list, .oneKey, .operation, .operationTemplate: return nil
    }
  }
}

extension YAMLNode {
  /// Returns the combination of two nodes under the same key, whose values have `form`: mappings are joined key by key, as deep as the form describes
  /// mappings of the language; for everything else, including data and types, `other` replaces this node.
  ///
  /// - Parameters:
  ///   - other: The node that takes precedence.
  ///   - form: The form of both nodes.
  ///   - count: Increased by the number of entries visited.
  /// - Returns: The node, at the place of `other`.
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
  /// Returns the form of each member of a mapping, or nil for an unknown key; nil if the form is not a mapping whose keys are joined.
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

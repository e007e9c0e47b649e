import Expressions
import Values

extension DocumentReader {
  /// Reads `executor`: a name, or a mapping, whose values may have expressions.
  func executorUse(_ node: YAMLNode, into sites: inout [ExpressionSite]) -> ExecutorUse? {
    var use = ExecutorUse()
    use.place = hostPlace(of: node.range)
    guard node.entries != nil else {
      guard node.items == nil, let name = plainText(node, "'executor'") else {
        if node.items != nil { wrongForm(node, "'executor'", needs: "a name or a mapping") }
        return nil
      }
      guard checkName(name, .operation, "an executor's name", at: node.range) else { return nil }
      use.name = name
      return use
    }
    readKeys(of: node, ExecutorKey.table) { key, _, entry in
      if key == .use {
        guard let name = plainText(entry.value, "'use'"),
          checkName(name, .operation, "an executor's name", at: entry.value.range)
        else { return }
        use.name = name
        use.place = hostPlace(of: entry.value.range)
      } else if let setting = ExecutorUse.Setting(rawValue: key.rawValue) {
        let (values, computed) = executorValues(entry.value, setting, into: &sites)
        use.set(setting, values, computed: computed)
        use.places[setting] = hostPlace(of: entry.value.range)
      }
    }
    return use
  }

  /// Reads the values of a setting, and those with expressions by their places.
  private func executorValues(
    _ node: YAMLNode, _ setting: ExecutorUse.Setting, into sites: inout [ExpressionSite]
  ) -> (values: [String], computed: [Int: Template]) {
    if node.items?.isEmpty == true { wrongForm(node, "'\(setting.rawValue)'", needs: "at least one value") }
    var values: [String] = []
    var computed: [Int: Template] = [:]
    for item in node.items ?? [node] {
      if case .scalar(let text, _) = item.content, Self.expressionOffset(in: text) != nil {
        computed[values.count] = template(text: text, item, .executor, into: &sites)
        values.append("")
      } else if let value = executorValue(item, setting) {
        values.append(value)
      }
    }
    return (values, computed)
  }

  /// Reads the values of a setting: one, or one for each attempt.
  func executorValues(_ node: YAMLNode, _ setting: ExecutorUse.Setting) -> [String] {
    guard let items = node.items else { return executorValue(node, setting).map { [$0] } ?? [] }
    if items.isEmpty { wrongForm(node, "'\(setting.rawValue)'", needs: "at least one value") }
    return items.compactMap { executorValue($0, setting) }
  }

  /// Returns a value as Slurm takes it.
  private func executorValue(_ node: YAMLNode, _ setting: ExecutorUse.Setting) -> String? {
    let what = "'\(setting.rawValue)'"
    switch setting {
    case .cpus: return int(node, what, minimum: 1).map(String.init)
    case .memory: return executorMemory(node, what).map(String.init)
    case .time: return duration(node, what, allowsZero: false).map { String(Self.minutes(of: $0)) }
    case .gpus: return accelerators(node, what)
    case .gres, .partition, .account, .qos, .constraint:
      guard let text = plainText(node, what) else { return nil }
      guard !text.isEmpty, !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else {
        wrongForm(node, what, needs: "a text without spaces")
        return nil
      }
      return text
    }
  }

  /// Reads an amount of memory, and returns it in MiB.
  func executorMemory(_ node: YAMLNode, _ what: String) -> Int? {
    guard let text = plainText(node, what) else { return nil }
    guard let bytes = SizeNotation.parse(text), bytes > 0, text.utf8.last.map({ $0 > 57 }) == true else {
      error(
        .invalidSize, "\(what) needs a size with its unit, found '\(text)'", at: node.range,
        fix: Int(text).map { "did you mean '\($0)GiB'?" })
      return nil
    }
    return Int((bytes - 1) >> 20) + 1
  }

  private func accelerators(_ node: YAMLNode, _ what: String) -> String? {
    guard let entries = node.entries else { return int(node, what, minimum: 1).map(String.init) }
    guard entries.count == 1 else {
      wrongForm(node, what, needs: "a number, or one type with its number")
      return nil
    }
    guard checkName(entries[0].name, .member, "a type of accelerators", at: entries[0].key.range),
      let number = int(entries[0].value, "the number of '\(entries[0].name)'", minimum: 1)
    else { return nil }
    return "\(entries[0].name):\(number)"
  }

  /// Returns a duration in minutes, rounded up.
  static func minutes(of duration: Duration) -> Int {
    let (seconds, fraction) = duration.components
    return Int((seconds + (fraction > 0 ? 1 : 0) + 59) / 60)
  }
}

extension ExecutorUse {
  /// Returns a computed value as Slurm takes it; nil if it is not a value of the setting.
  package static func value(_ text: String, of setting: Setting) -> String? {
    switch setting {
    case .cpus: return count(text)
    case .memory:
      guard text.utf8.last.map({ $0 > 57 }) == true, let bytes = SizeNotation.parse(text), bytes > 0 else { return nil }
      return String(((bytes - 1) >> 20) + 1)
    case .time:
      return DurationNotation.parse(text).flatMap { $0 > .zero ? String(DocumentReader.minutes(of: $0)) : nil }
    case .gpus:
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2, let number = parts.last.flatMap({ count(String($0)) }), !parts[0].isEmpty else {
        return nil
      }
      return parts.count == 1 ? number : "\(parts[0]):\(number)"
    case .gres, .partition, .account, .qos, .constraint:
      return text.isEmpty || text.utf8.contains { $0 <= 32 || $0 == 127 } ? nil : text
    }
  }

  private static func count(_ text: String) -> String? { Int(text).flatMap { $0 > 0 ? String($0) : nil } }
}

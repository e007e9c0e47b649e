/// The only values that a type allows, and the message for any other value.
struct AllowedValues {
  let values: [JSONValue]

  init(_ values: [JSONValue]) { self.values = values }

  /// The values of a ``PluginValue`` that lists them, and of any enumeration of strings that lists its cases; nil for other types.
  init?<T>(of type: T.Type) {
    if let type = type as? any PluginValue.Type, let values = type.allowedValues {
      self.values = values
    } else if let type = type as? any (CaseIterable & RawRepresentable).Type, let values = Self.rawValues(of: type) {
      self.values = values
    } else {
      return nil
    }
  }

  private static func rawValues<T: CaseIterable & RawRepresentable>(of type: T.Type) -> [JSONValue]? {
    let names = type.allCases.compactMap { $0.rawValue as? String }
    return names.isEmpty ? nil : names.map { .string($0) }
  }

  /// Returns what is wrong with `value`, with a suggestion of the intended value; nil if it is allowed.
  func refusal(of value: JSONValue) -> String? {
    guard !values.contains(value) else { return nil }
    let names = values.map { $0.stringValue ?? $0.text }
    let near = value.stringValue.flatMap { NearestName.suggestion(for: $0, among: names) }
    let found = value.text.utf8.count > 60 ? value.kind : value.text
    return "expected one of \(names.joined(separator: ", ")), found \(found)"
      + (near.map { "; did you mean '\($0)'?" } ?? "")
  }
}

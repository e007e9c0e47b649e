import OrderedCollections
import Values

extension SecretMasker {
  /// Members of details that hold what is written in the file, or the engine's own words and times, which are read again when a run is gone on with.
  private static let own: Set = [
    "clock", "command", "dependencies", "due", "formula", "from", "opened_at", "run", "since", "when",
  ]

  /// The particulars of an operation's state with every secret replaced in what may have come from outside. A short secret, such as `a`, leaves their
  /// form alone.
  func mask(detail value: JSONValue) -> JSONValue {
    guard !isEmpty else { return value }
    switch value {
    case .null, .bool, .int, .double: return value
    case .string(let text): return .string(mask(text))
    case .array(let elements): return .array(elements.map { mask(detail: $0) })
    case .object(let members):
      var result: OrderedDictionary<String, JSONValue> = [:]
      for (name, member) in members { result[name] = Self.own.contains(name) ? member : mask(detail: member) }
      return .object(result)
    }
  }
}

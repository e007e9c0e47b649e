extension JSONValue {
  /// Creates a string, or null if `text` is nil.
  package init(_ text: String?) { self = text.map { .string($0) } ?? .null }
  /// Creates a number, or null if `number` is nil.
  package init(_ number: Int?) { self = number.map { .int(Int64($0)) } ?? .null }

  /// Parses recorded JSON text; text that is not JSON becomes a string.
  package init(recorded text: String?) {
    self = text.map { (try? JSONValue.parse($0)) ?? .string($0) } ?? .null
  }
}

extension JSONValue {
  /// A string; null where there is none.
  package init(_ text: String?) { self = text.map { .string($0) } ?? .null }
  /// A number; null where there is none.
  package init(_ number: Int?) { self = number.map { .int(Int64($0)) } ?? .null }

  /// Recorded JSON text as a value; text that is not JSON as a string.
  package init(recorded text: String?) {
    self = text.map { (try? JSONValue.parse($0)) ?? .string($0) } ?? .null
  }
}

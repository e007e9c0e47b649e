extension JSONValue {
  /// Reads one JSON value (RFC 8259) that takes up the whole of `bytes`.
  ///
  /// Whole numbers that fit 64 bits become `.int`, all others `.double`. Of members with the same name the last counts.
  /// - Throws: `JSONError` for anything that is not JSON, for invalid UTF-8, and for more than 512 levels of nesting.
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue { .null }

  /// Reads one JSON value that takes up the whole of `bytes`; see ``parse(_:)-(UnsafeRawBufferPointer)``.
  public static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue { .null }

  /// Reads one JSON value that takes up the whole of `text`; see ``parse(_:)-(UnsafeRawBufferPointer)``.
  public static func parse(_ text: String) throws(JSONError) -> JSONValue { .null }
}

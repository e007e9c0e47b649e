extension JSONValue {
  /// Appends the value to `bytes` as compact JSON in UTF-8.
  ///
  /// Members keep their order, whole numbers are exact, doubles are the shortest text that reads back the same (whole ones
  /// below 1e15 without `.0`). `NaN`, `Infinity` and `-Infinity` are written as these words, which JSON does not have.
  public func write(to bytes: inout [UInt8]) {}

  /// The value as compact JSON; see ``write(to:)``.
  public var text: String { "" }

  /// The value as JSON over several lines, indented by two spaces; empty arrays and objects stay on their line.
  public func pretty() -> String { "" }
}

extension JSONValue {
  /// Appends the value to `bytes` as compact JSON in UTF-8.
  ///
  /// Members keep their order, whole numbers are exact, and doubles are written as the shortest text that reads back the same (whole ones
  /// without `.0`). `NaN`, `Infinity` and `-Infinity` are written as these words, which are not valid JSON.
  public func write(to bytes: inout [UInt8]) {
    withJSON { bytes.append(contentsOf: $0) }
  }

  /// Appends the value to `bytes` as compact JSON that reads back as an equal value: see ``withJSON(exactly:_:)``.
  package func writeExactly(to bytes: inout [UInt8]) {
    withJSON(exactly: true) { bytes.append(contentsOf: $0) }
  }

  /// Calls `body` with the value as compact JSON.
  ///
  /// - Parameters:
  ///   - isExact: Whether the JSON must read back as an equal value: a double then keeps its `.0`, so that it reads back as a double, and
  ///     values that JSON cannot represent (`NaN`, the infinities) become `null`. Otherwise the output is that of ``write(to:)``.
  ///   - body: Must not keep the bytes.
  /// - Returns: The result of `body`.
  package func withJSON<Answer>(exactly isExact: Bool = false, _ body: (UnsafeBufferPointer<UInt8>) -> Answer) -> Answer
  {
    var buffer = JSONBuffer(isExact: isExact)
    buffer.append(self)
    return body(buffer.written)
  }

  /// The value as compact JSON; see ``write(to:)``.
  public var text: String {
    withJSON { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the value as JSON on several lines, indented by two spaces; empty arrays and objects stay on one line.
  public func pretty() -> String {
    var bytes: [UInt8] = []
    writePretty(to: &bytes, level: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func writePretty(to bytes: inout [UInt8], level: Int) {
    switch self {
    case .array(let elements) where !elements.isEmpty:
      bytes.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        JSONValue.writeLineBreak(to: &bytes, level: level + 1)
        element.writePretty(to: &bytes, level: level + 1)
      }
      JSONValue.writeLineBreak(to: &bytes, level: level)
      bytes.append(UInt8(ascii: "]"))
    case .object(let members) where !members.isEmpty:
      bytes.append(UInt8(ascii: "{"))
      var isFirst = true
      for (name, value) in members {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        JSONValue.writeLineBreak(to: &bytes, level: level + 1)
        JSONValue.writeString(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        value.writePretty(to: &bytes, level: level + 1)
      }
      JSONValue.writeLineBreak(to: &bytes, level: level)
      bytes.append(UInt8(ascii: "}"))
    default: write(to: &bytes)
    }
  }

  package static func writeLineBreak(to bytes: inout [UInt8], level: Int) {
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: 2 * level))
  }

  /// Appends `text` as a JSON string.
  package static func writeString(_ text: String, to bytes: inout [UInt8]) {
    var buffer = JSONBuffer()
    buffer.append(text)
    bytes.append(contentsOf: buffer.written)
  }
}

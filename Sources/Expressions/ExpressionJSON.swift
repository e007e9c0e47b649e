import Values

/// Writes the output of `toJSON`, with the layout, number format and escapes of GitHub Actions.
struct ExpressionJSONWriter {
  private var bytes: [UInt8] = []
  private let limit: Int

  /// Returns the text of `value`, or nil if it would be longer than `limit` bytes.
  static func text(of value: JSONValue, limit: Int) -> String? {
    var writer = ExpressionJSONWriter(limit: limit)
    return writer.write(value, level: 0) ? String(decoding: writer.bytes, as: UTF8.self) : nil
  }

  private init(limit: Int) {
    self.limit = limit
  }

  /// Appends `value` and returns whether the text is still within the limit.
  private mutating func write(_ value: JSONValue, level: Int) -> Bool {
    switch value {
    case .null: bytes += "null".utf8
    case .bool, .int, .double: bytes += value.coercedString.utf8
    case .string(let text): write(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONValue.writeLineBreak(to: &bytes, level: level + 1)
        guard write(element, level: level + 1) else { return false }
      }
      if !elements.isEmpty { JSONValue.writeLineBreak(to: &bytes, level: level) }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, (name, element)) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSONValue.writeLineBreak(to: &bytes, level: level + 1)
        write(name)
        bytes += ": ".utf8
        guard write(element, level: level + 1) else { return false }
      }
      if !members.isEmpty { JSONValue.writeLineBreak(to: &bytes, level: level) }
      bytes.append(UInt8(ascii: "}"))
    }
    return bytes.count <= limit
  }

  /// Appends a string; three non-ASCII line separators are escaped too.
  private mutating func write(_ text: String) {
    let separators: Set<Unicode.Scalar> = ["\u{85}", "\u{2028}", "\u{2029}"]
    guard text.utf8.contains(where: { $0 >= 0x80 }), text.unicodeScalars.contains(where: separators.contains) else {
      return JSONValue.writeString(text, to: &bytes)
    }
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      if separators.contains(scalar) {
        bytes += (scalar == "\u{85}" ? "\\u0085" : scalar == "\u{2028}" ? "\\u2028" : "\\u2029").utf8
      } else {
        var one: [UInt8] = []
        JSONValue.writeString(String(scalar), to: &one)
        bytes += one.dropFirst().dropLast()
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONValue {
  /// Appends the value to `bytes` as compact JSON in UTF-8.
  ///
  /// Members keep their order, whole numbers are exact, doubles are the shortest text that reads back the same (whole ones
  /// without `.0`). `NaN`, `Infinity` and `-Infinity` are written as these words, which JSON does not have.
  public func write(to bytes: inout [UInt8]) {
    switch self {
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      var isFirst = true
      for (name, value) in members {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        JSONValue.writeString(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    default: writeScalar(to: &bytes)
    }
  }

  /// The value as compact JSON; see ``write(to:)``.
  public var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value as JSON over several lines, indented by two spaces; empty arrays and objects stay on their line.
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

  private func writeScalar(to bytes: inout [UInt8]) {
    switch self {
    case .bool(let value): bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    case .int(let value): bytes.append(contentsOf: String(value).utf8)
    case .double(let value): bytes.append(contentsOf: DecimalText.shortest(value).utf8)
    case .string(let text): JSONValue.writeString(text, to: &bytes)
    default: bytes.append(contentsOf: "null".utf8)
    }
  }

  package static func writeLineBreak(to bytes: inout [UInt8], level: Int) {
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: 2 * level))
  }

  /// Appends `text` as a JSON string.
  package static func writeString(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { source in
      bytes.append(UInt8(ascii: "\""))
      var pending = 0
      for (index, byte) in source.enumerated()
      where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        bytes.append(contentsOf: source[pending..<index])
        pending = index + 1
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
          bytes.append(contentsOf: "u00".utf8)
          bytes.append(hexadecimalDigits[Int(byte >> 4)])
          bytes.append(hexadecimalDigits[Int(byte & 15)])
        }
      }
      bytes.append(contentsOf: source[pending..<source.count])
      bytes.append(UInt8(ascii: "\""))
    }
  }
}

private let hexadecimalDigits = Array("0123456789abcdef".utf8)

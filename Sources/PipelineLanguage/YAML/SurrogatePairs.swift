import Values

extension SourceText {
  /// If the text is a JSON object, the text with each JSON surrogate pair, such as `\ud83d\ude00`, replaced by the equivalent YAML escape: YAML has no such
  /// pairs, and most programs write characters beyond U+FFFF as one. Columns after a pair on its line are two lower than in the original.
  var joiningSurrogatePairs: SourceText {
    guard encodingFault == nil, text.utf8.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{"),
      text.contains("\\ud") || text.contains("\\uD")
    else { return self }
    let bytes = Array(text.utf8)
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      if let high = Self.escapedUnit(in: bytes, at: at), high & 0xFC00 == 0xD800,
        let low = Self.escapedUnit(in: bytes, at: at + 6), low & 0xFC00 == 0xDC00
      {
        let digits = String(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF, radix: 16)
        joined += "\\U\(String(repeating: "0", count: 8 - digits.count))\(digits)".utf8
        at += 12
      } else {
        // An escaped backslash does not start another escape.
        let length = bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        joined += bytes[at..<min(at + length, bytes.count)]
        at += length
      }
    }
    return SourceText(path: path, bytes: joined)
  }

  /// Returns the number in `\uXXXX` at a position; nil if there is none.
  private static func escapedUnit(in bytes: [UInt8], at place: Int) -> UInt32? {
    guard place + 6 <= bytes.count, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return UInt32(String(decoding: bytes[(place + 2)..<(place + 6)], as: UTF8.self), radix: 16)
  }
}

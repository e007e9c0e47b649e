/// Detects bytes that are not UTF-8 text.
enum UTF8Validity {
  /// Returns whether `bytes` start like UTF-16 or UTF-32: with a byte order mark, or with exactly one zero in the first two bytes, as for a first
  /// character in ASCII.
  static func looksLikeUTF16(_ bytes: some Collection<UInt8>) -> Bool {
    let head = Array(bytes.prefix(2))
    guard head.count == 2 else { return false }
    return head == [0xFF, 0xFE] || head == [0xFE, 0xFF] || (head[0] == 0) != (head[1] == 0)
  }

  /// Returns the offset and value of the first byte that is not part of a complete, shortest-form UTF-8 sequence.
  static func firstInvalidByte(in bytes: some Collection<UInt8>) -> (offset: Int, byte: UInt8) {
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var offset = 0
    decoding: while true {
      switch decoder.decode(&rest) {
      case .scalarValue(let scalar): offset += UTF8.width(scalar)
      case .emptyInput, .error: break decoding
      }
    }
    return (offset, bytes.dropFirst(offset).first ?? 0)
  }
}

/// Finds where bytes stop being UTF-8 text.
enum UTF8Validity {
  /// Whether `bytes` begin like UTF-16 or UTF-32: with their byte order mark, or with exactly one zero in the first two
  /// bytes, which is how the first (ASCII) character of a pipeline file then looks.
  static func looksLikeUTF16(_ bytes: some Collection<UInt8>) -> Bool {
    let head = Array(bytes.prefix(2))
    guard head.count == 2 else { return false }
    return head == [0xFF, 0xFE] || head == [0xFE, 0xFF] || (head[0] == 0) != (head[1] == 0)
  }

  /// The offset and the value of the first byte that does not belong to a whole, shortest-form UTF-8 sequence.
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

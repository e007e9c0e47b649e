/// Parses the first argument of `format`: text with `{0}`, `{1}` … for the other arguments, and `{{` `}}` for braces.
enum ExpressionFormat {
  enum Piece: Equatable {
    case text(String)
    case argument(Int)
  }

  /// Splits `text` into pieces, given `count` arguments.
  ///
  /// - Throws: `ExpressionError` without a place for an unmatched brace, for a number without an argument, and for
  ///   .NET's format specifiers after a colon, none of which GitHub Actions supports.
  static func pieces(of text: String, arguments count: Int) throws(ExpressionError) -> [Piece] {
    let bytes = Array(text.utf8)
    var pieces: [Piece] = []
    var pending: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      let isDoubled = at + 1 < bytes.count && bytes[at + 1] == byte
      switch byte {
      case UInt8(ascii: "{") where isDoubled, UInt8(ascii: "}") where isDoubled:
        pending.append(byte)
        at += 2
      case UInt8(ascii: "}"): throw invalid("'}' alone in the text of 'format'", fix: "a brace is written twice: '}}'")
      case UInt8(ascii: "{"):
        let index = try argument(in: bytes, at: &at)
        guard index < count else {
          throw invalid("'format' has no argument {\(index)}", fix: "the first argument after the text is {0}")
        }
        if !pending.isEmpty { pieces.append(.text(String(decoding: pending, as: UTF8.self))) }
        pending = []
        pieces.append(.argument(index))
      default:
        pending.append(byte)
        at += 1
      }
    }
    if !pending.isEmpty { pieces.append(.text(String(decoding: pending, as: UTF8.self))) }
    return pieces
  }

  /// Parses `{12}`, starting at its brace.
  private static func argument(in bytes: [UInt8], at: inout Int) throws(ExpressionError) -> Int {
    at += 1
    let start = at
    var index = 0
    while at < bytes.count, bytes[at] &- 48 < 10 {
      index = min(index * 10 + Int(bytes[at] - 48), 1000)
      at += 1
    }
    // GitHub Actions stores the number in a byte.
    guard at > start, index <= 255, at < bytes.count else {
      throw invalid("'{' in the text of 'format' without a number and '}'", fix: "a brace is written twice: '{{'")
    }
    if bytes[at] == UInt8(ascii: ":"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "}") { at += 1 }
    guard bytes[at] == UInt8(ascii: "}") else {
      throw bytes[at] == UInt8(ascii: ":")
        ? invalid("'format' has no format specifiers", fix: "write {\(index)} alone")
        : invalid("'{' in the text of 'format' without a number and '}'", fix: "a brace is written twice: '{{'")
    }
    at += 1
    return index
  }

  private static func invalid(_ message: String, fix: String) -> ExpressionError {
    ExpressionError(.formatString, message, fix: fix)
  }
}

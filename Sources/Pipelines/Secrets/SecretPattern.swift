/// One way in which a secret may be spelled.
struct SecretPattern: Sendable, Hashable {
  /// What may stand for each of its bytes.
  enum Form: Sendable {
    /// The byte itself.
    case exact
    /// The byte itself or `%` and its two digits, whichever of them an encoder prefers; `+` too for a space.
    case percent
    /// The byte itself, with the ends of lines anywhere between.
    case base64
  }

  /// Whether a text is the secret from some place on.
  enum Match {
    case no
    /// It is, and so many bytes long.
    case yes(Int)
    /// The text ends before that can be told.
    case undecided
  }

  /// More characters between two of a Base64 text are no end of a line. (In a JSON string, that of MIME is `\\r\\n`.)
  private static let longestGap = 4

  private let form: Form
  private let bytes: [UInt8]

  /// A pattern of `bytes`, which must not be empty.
  init(_ form: Form, _ bytes: [UInt8]) {
    self.form = form
    self.bytes = bytes
  }

  /// The bytes that a match can begin with.
  var firstBytes: [UInt8] {
    let first = bytes[0]
    guard form == .percent else { return [first] }
    return [first, UInt8(ascii: "%")] + (first == UInt8(ascii: " ") ? [UInt8(ascii: "+")] : [])
  }

  /// Whether `text` is the secret from `start` on.
  func match(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Match {
    var index = start
    for (place, byte) in bytes.enumerated() {
      if form == .base64, place > 0 { Self.skipLineEnd(in: text, &index) }
      guard index < text.count else { return .undecided }
      switch form {
      case .exact, .base64:
        guard text[index] == byte else {
          // The first half of an escaped line end may be all that there is yet.
          return form == .base64 && place > 0 && index == text.count - 1 && text[index] == UInt8(ascii: "\\")
            ? .undecided : .no
        }
        index += 1
      case .percent:
        switch Self.skip(byte, in: text, &index) {
        case true?: break
        case false?: return .no
        case nil: return .undecided
        }
      }
    }
    return .yes(index - start)
  }

  /// Steps over `byte` in any of its spellings. False when it is not there, nil when the text ends before that can be told.
  private static func skip(_ byte: UInt8, in text: UnsafeBufferPointer<UInt8>, _ index: inout Int) -> Bool? {
    let found = text[index]
    if found == UInt8(ascii: "%") {
      let digits = (byte >> 4, byte & 15)
      let isFirst = index + 1 < text.count ? Self.digit(text[index + 1]) == digits.0 : nil
      let isSecond = index + 2 < text.count ? Self.digit(text[index + 2]) == digits.1 : nil
      if isFirst != false, isSecond != false {
        guard isFirst == true, isSecond == true else { return nil }
        index += 3
        return true
      }
    }
    guard found == byte || found == UInt8(ascii: "+") && byte == UInt8(ascii: " ") else { return false }
    index += 1
    return true
  }

  /// Steps over the end of a line, also as a JSON string spells it.
  private static func skipLineEnd(in text: UnsafeBufferPointer<UInt8>, _ index: inout Int) {
    let limit = min(text.count, index + longestGap)
    while index < limit {
      switch text[index] {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): index += 1
      case UInt8(ascii: "\\")
      where index + 1 < limit && (text[index + 1] == UInt8(ascii: "n") || text[index + 1] == UInt8(ascii: "r")):
        index += 2
      default: return
      }
    }
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

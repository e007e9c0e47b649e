import Values

@testable import PipelineEngine

/// Masks as slowly and plainly as can be: at each place of the text it tries every spelling of every secret. What the real one is compared with.
struct ReferenceMasker {
  /// What stands for a secret.
  static let mask = Array("***".utf8)

  /// Shorter pieces (a line of a key file that is only a brace) would mask ordinary text all over.
  private static let shortestPiece = 4

  /// The secrets, each once, with their lines and pieces.
  private var secrets: Set<[UInt8]> = []
  private var patterns: [ReferencePattern] = []
  private var firstBytes = [Bool](repeating: false, count: 256)

  /// A masker of `secrets`. Empty secrets are left out.
  init(_ secrets: some Sequence<String>) {
    add(secrets)
  }

  /// Masks these as well from now on: what becomes known in the course of a run, such as the password of a netrc file.
  mutating func add(_ more: some Sequence<String>) {
    var unique: Set<[UInt8]> = []
    for secret in more where !secret.isEmpty {
      unique.insert(Array(secret.utf8))
      for line in secret.split(whereSeparator: \.isNewline) where line.utf8.count >= Self.shortestPiece {
        unique.insert(Array(line.utf8))
      }
      for piece in SecretURL.pieces(of: secret) { unique.insert(Array(piece.utf8)) }
    }
    unique.subtract(secrets)
    guard !unique.isEmpty else { return }
    secrets.formUnion(unique)
    var all: Set<ReferencePattern> = []
    for secret in unique {
      for exact in [secret, Self.jsonEscaped(secret)] + Self.asciiEscaped(secret) {
        all.insert(ReferencePattern(.exact, exact))
      }
      all.insert(ReferencePattern(.percent, secret))
      for offset in 0..<3 {
        let encoded = Self.base64(secret, offset: offset)
        guard encoded.count >= Self.shortestPiece else { continue }
        all.insert(ReferencePattern(.base64, encoded))
        let forURLs = encoded.map {
          $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        all.insert(ReferencePattern(.base64, forURLs))
      }
    }
    patterns = Array(all.union(patterns))
    for pattern in patterns { for byte in pattern.firstBytes { firstBytes[Int(byte)] = true } }
  }

  /// The bytes with every secret replaced.
  func mask(_ bytes: [UInt8]) -> [UInt8] {
    var pending = bytes
    return take(from: &pending, isLast: true)
  }

  /// What can be told of a longer text.
  func maskBeginning(_ bytes: [UInt8]) -> [UInt8] {
    var pending = bytes
    return take(from: &pending, isLast: false)
  }

  /// Masks what can already be told of `pending` and removes it from there; the rest may be the beginning of a secret.
  func take(from pending: inout [UInt8], isLast: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(pending.count)
    var index = 0
    pending.withUnsafeBufferPointer { bytes in
      while index < bytes.count {
        if firstBytes[Int(bytes[index])] {
          // The longest match, so that a secret that contains another one is masked whole.
          var longest = 0
          var isUndecided = false
          for pattern in patterns {
            switch pattern.match(in: bytes, at: index) {
            case .no: break
            case .yes(let count): longest = max(longest, count)
            case .undecided: isUndecided = !isLast
            }
            // A longer match that may still come about decides first.
            if isUndecided { return }
          }
          if longest > 0 {
            result.append(contentsOf: Self.mask)
            index += longest
            continue
          }
        }
        result.append(bytes[index])
        index += 1
      }
    }
    pending.removeFirst(index)
    return result
  }

  private static func jsonEscaped(_ bytes: [UInt8]) -> [UInt8] {
    var quoted: [UInt8] = []
    JSONValue.string(String(decoding: bytes, as: UTF8.self)).write(to: &quoted)
    return Array(quoted.dropFirst().dropLast())
  }

  /// The inside of a JSON string in ASCII alone, as many writers make it: with digits of either case, and with and without `\/`.
  private static func asciiEscaped(_ bytes: [UInt8]) -> [[UInt8]] {
    let escaped = String(decoding: jsonEscaped(bytes), as: UTF8.self)
    func ascii(uppercase: Bool) -> String {
      escaped.utf16.reduce(into: "") { text, unit in
        if unit < 0x80, let scalar = Unicode.Scalar(unit) {
          text.unicodeScalars.append(scalar)
        } else {
          let digits = String(unit, radix: 16, uppercase: uppercase)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    func slashes(_ text: String) -> [UInt8] { text.utf8.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] } }
    return [ascii(uppercase: false), ascii(uppercase: true), escaped].flatMap { [Array($0.utf8), slashes($0)] }
  }

  /// The characters of a Base64 text that depend on nothing but `bytes`, when `offset` other bytes stand before them.
  private static func base64(_ bytes: [UInt8], offset: Int) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let padded = [UInt8](repeating: 0, count: offset) + bytes
    var result: [UInt8] = []
    // Character k holds the bits 6k ..< 6k + 6; only those wholly inside the secret are its own.
    var character = (offset * 8 + 5) / 6
    while (character + 1) * 6 <= padded.count * 8 {
      let bit = character * 6
      let (byte, shift) = (bit / 8, bit % 8)
      let pair = UInt16(padded[byte]) << 8 | (byte + 1 < padded.count ? UInt16(padded[byte + 1]) : 0)
      result.append(alphabet[Int(pair >> (10 - UInt16(shift))) & 63])
      character += 1
    }
    return result
  }
}

/// One way in which a secret may be spelled.
struct ReferencePattern: Sendable, Hashable {
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

  fileprivate let form: Form
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

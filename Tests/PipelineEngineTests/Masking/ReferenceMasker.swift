import Values

@testable import PipelineEngine

/// Masks in the slowest and simplest way: at each position of the text it tries every spelling of every secret. The reference for the real masker.
struct ReferenceMasker {
  /// The replacement for a secret.
  static let mask = Array("***".utf8)

  /// Shorter pieces (such as a line of a key file that is only a brace) would mask ordinary text everywhere.
  private static let shortestPiece = 4

  /// The distinct secrets, including their lines and pieces.
  private var secrets: Set<[UInt8]> = []
  private var patterns: [ReferencePattern] = []
  private var firstBytes = [Bool](repeating: false, count: 256)

  /// Creates a masker for `secrets`. Empty secrets are ignored.
  init(_ secrets: some Sequence<String>) {
    add(secrets)
  }

  /// Adds secrets that become known during a run, such as the password of a netrc file.
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

  /// Returns the bytes with every secret replaced.
  func mask(_ bytes: [UInt8]) -> [UInt8] {
    var pending = bytes
    return take(from: &pending, isLast: true)
  }

  /// Returns the masked beginning of a longer text.
  func maskBeginning(_ bytes: [UInt8]) -> [UInt8] {
    var pending = bytes
    return take(from: &pending, isLast: false)
  }

  /// Masks the part of `pending` that is final, and removes it; the rest may be the beginning of a secret.
  func take(from pending: inout [UInt8], isLast: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(pending.count)
    var index = 0
    pending.withUnsafeBufferPointer { bytes in
      while index < bytes.count {
        if firstBytes[Int(bytes[index])] {
          // The longest match, so that a secret that contains another one is masked completely.
          var longest = 0
          var isUndecided = false
          for pattern in patterns {
            switch pattern.match(in: bytes, at: index) {
            case .no: break
            case .yes(let count): longest = max(longest, count)
            case .undecided: isUndecided = !isLast
            }
            // A longer match that is still possible takes precedence.
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

  /// Returns the content of a JSON string in ASCII only, as many encoders write it: with digits of either case, and with and without `\/`.
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

  /// Returns the Base64 characters that depend only on `bytes`, when preceded by `offset` other bytes.
  private static func base64(_ bytes: [UInt8], offset: Int) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let padded = [UInt8](repeating: 0, count: offset) + bytes
    var result: [UInt8] = []
    // Character k holds the bits 6k ..< 6k + 6; only those entirely within the secret depend on it alone.
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

/// One possible spelling of a secret.
struct ReferencePattern: Sendable, Hashable {
  /// What may represent each of its bytes.
  enum Form: Sendable {
    /// The byte itself.
    case exact
    /// The byte itself, or `%` and its two digits, whichever an encoder chooses; `+` too for a space.
    case percent
    /// The byte itself, with line breaks anywhere in between.
    case base64
  }

  /// Whether a text matches the secret from some position.
  enum Match {
    case no
    /// It does, with this length in bytes.
    case yes(Int)
    /// The text ends before that can be determined.
    case undecided
  }

  /// A longer sequence between two characters of Base64 is not a line break. (In a JSON string, MIME's is `\\r\\n`.)
  private static let longestGap = 4

  fileprivate let form: Form
  private let bytes: [UInt8]

  /// Creates a pattern of `bytes`, which must not be empty.
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

  /// Returns whether `text` matches the secret from `start`.
  func match(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Match {
    var index = start
    for (place, byte) in bytes.enumerated() {
      if form == .base64, place > 0 { Self.skipLineEnd(in: text, &index) }
      guard index < text.count else { return .undecided }
      switch form {
      case .exact, .base64:
        guard text[index] == byte else {
          // There may be only the first half of an escaped line break yet.
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

  /// Skips `byte` in any of its spellings. Returns false if it is not there, or nil if the text ends before that can be determined.
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

  /// Skips a line break, including one escaped as in JSON strings.
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

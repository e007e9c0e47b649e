import Glibc
import OrderedCollections
import Values

/// Replaces secrets in anything that is kept or shown.
///
/// Knows each secret as it is, line by line where it has several, as a JSON string's inside, percent-encoded (whichever of its characters are, with digits of
/// either case, and with `+` for a space), and in Base64 (the standard and the URL alphabet, wherever in the encoded data it begins, and in lines of any length).
/// Of a secret that is a URL, it also knows the telling pieces: see ``SecretURL``.
struct SecretMasker: Sendable {
  /// What stands for a secret.
  static let mask = Array("***".utf8)

  /// Shorter pieces (a line of a key file that is only a brace) would mask ordinary text all over.
  private static let shortestPiece = 4

  /// The secrets, each once, with their lines and pieces.
  private var secrets: Set<[UInt8]> = []
  private var patterns: [SecretPattern] = []
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
    var all: Set<SecretPattern> = []
    for secret in unique {
      for exact in [secret, Self.jsonEscaped(secret)] + Self.asciiEscaped(secret) {
        all.insert(SecretPattern(.exact, exact))
      }
      all.insert(SecretPattern(.percent, secret))
      for offset in 0..<3 {
        let encoded = Self.base64(secret, offset: offset)
        guard encoded.count >= Self.shortestPiece else { continue }
        all.insert(SecretPattern(.base64, encoded))
        let forURLs = encoded.map {
          $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0
        }
        all.insert(SecretPattern(.base64, forURLs))
      }
    }
    patterns = Array(all.union(patterns))
    for pattern in patterns { for byte in pattern.firstBytes { firstBytes[Int(byte)] = true } }
  }

  /// Whether something in `bytes` may have been masked.
  static func hasMask(_ bytes: [UInt8]) -> Bool {
    bytes.indices.dropLast(mask.count - 1).contains { bytes[$0...].starts(with: mask) }
  }

  /// Whether there is anything to mask.
  var isEmpty: Bool { patterns.isEmpty }

  /// The text with every secret replaced.
  func mask(_ text: String) -> String {
    guard !isEmpty else { return text }
    let bytes = Array(text.utf8)
    let masked = mask(bytes)
    return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
  }

  /// The bytes with every secret replaced.
  func mask(_ bytes: [UInt8]) -> [UInt8] {
    guard !isEmpty else { return bytes }
    var pending = bytes
    return take(from: &pending, isLast: true)
  }

  /// The value with every secret in its strings and names replaced.
  func mask(_ value: JSONValue) -> JSONValue {
    guard !isEmpty else { return value }
    switch value {
    case .null, .bool: return value
    case .int, .double:
      let text = value.text
      let masked = mask(text)
      return masked == text ? value : .string(masked)
    case .string(let text): return .string(mask(text))
    case .array(let elements): return .array(elements.map { mask($0) })
    case .object(let members):
      var result: OrderedDictionary<String, JSONValue> = [:]
      for (name, member) in members { result[mask(name)] = mask(member) }
      return .object(result)
    }
  }

  /// The beginning of a longer text with every secret replaced: what at its end may be the beginning of a secret is left
  /// out, since half of one is still telling.
  func maskBeginning(_ bytes: [UInt8]) -> [UInt8] {
    guard !isEmpty else { return bytes }
    var pending = bytes
    return take(from: &pending, isLast: false)
  }

  /// Copies a file with every secret replaced, into a new file of the owner's alone, and returns the size of the copy.
  func copy(from source: String, to target: String) throws(EngineError) -> Int64 {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else { throw .file(source, errno) }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw .file(target, errno) }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var pending: [UInt8] = []
    var size: Int64 = 0
    while true {
      let count = read(input, &buffer, buffer.count)
      guard count >= 0 else { throw .file(source, errno) }
      pending.append(contentsOf: buffer[..<count])
      let masked = take(from: &pending, isLast: count == 0)
      var written = 0
      while written < masked.count {
        let done = masked.withUnsafeBytes { write(output, $0.baseAddress.map { $0 + written }, masked.count - written) }
        guard done >= 0 else {
          let error = errno
          unlink(target)
          throw .file(target, error)
        }
        written += done
      }
      size += Int64(masked.count)
      if count == 0 { return size }
    }
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

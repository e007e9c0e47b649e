import OrderedCollections
import Values

/// Replaces secrets in everything that is kept or shown.
///
/// Recognises each secret literally, each line of a multi-line secret, as the content of a JSON string, percent-encoded (whichever of its characters
/// are, with digits of either case, and with `+` for a space), and in Base64 (the standard and the URL alphabet, at any offset in the encoded data,
/// and with any line length). For a secret that is a URL, it also recognises the sensitive pieces: see ``SecretURL``.
struct SecretMasker: Sendable {
  /// The replacement for a secret.
  static let mask = Array("***".utf8)

  /// The distinct secrets, including their lines and pieces.
  private var secrets: Set<[UInt8]> = []
  private var spellings: SecretSpellings?

  /// Creates a masker for `secrets`. Empty secrets are ignored.
  init(_ secrets: some Sequence<String>) {
    add(secrets)
  }

  /// Adds secrets that become known during a run, such as the password of a netrc file.
  mutating func add(_ more: some Sequence<String>) {
    var unique: Set<[UInt8]> = []
    for secret in more where !secret.isEmpty {
      unique.insert(Array(secret.utf8))
      for line in secret.split(whereSeparator: \.isNewline) where line.utf8.count >= SecretSpellings.shortestPiece {
        unique.insert(Array(line.utf8))
      }
      for piece in SecretURL.pieces(of: secret) { unique.insert(Array(piece.utf8)) }
    }
    unique.subtract(secrets)
    guard !unique.isEmpty else { return }
    secrets.formUnion(unique)
    spellings = SecretSpellings(secrets)
  }

  /// Whether `bytes` may contain something that was masked.
  static func hasMask(_ bytes: [UInt8]) -> Bool {
    bytes.indices.dropLast(mask.count - 1).contains { bytes[$0...].starts(with: mask) }
  }

  /// What is masked, for another masker.
  var texts: [String] { secrets.map { String(decoding: $0, as: UTF8.self) } }

  /// Whether there is nothing to mask.
  var isEmpty: Bool { spellings == nil }

  /// Returns the text with every secret replaced.
  func mask(_ text: String) -> String {
    guard !isEmpty else { return text }
    let bytes = Array(text.utf8)
    let masked = mask(bytes)
    return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
  }

  /// Returns the bytes with every secret replaced.
  func mask(_ bytes: [UInt8]) -> [UInt8] {
    guard var scanner = scanner() else { return bytes }
    return scanner.mask(bytes) + scanner.finish()
  }

  /// Returns a scanner for text that arrives in pieces, or nil if there is nothing to mask.
  func scanner() -> SecretScanner? { spellings.map { SecretScanner($0) } }

  /// Returns the value with every secret in its strings and names replaced.
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

  /// Returns the beginning of a longer text with every secret replaced. If it ends with what may be the beginning of a secret, that part is omitted,
  /// because even half a secret is sensitive.
  func maskBeginning(_ bytes: [UInt8]) -> [UInt8] {
    guard var scanner = scanner() else { return bytes }
    return scanner.mask(bytes)
  }
}

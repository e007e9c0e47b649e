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

  /// The secrets, each once, with their lines and pieces.
  private var secrets: Set<[UInt8]> = []
  private var spellings: SecretSpellings?

  /// A masker of `secrets`. Empty secrets are left out.
  init(_ secrets: some Sequence<String>) {
    add(secrets)
  }

  /// Masks these as well from now on: what becomes known in the course of a run, such as the password of a netrc file.
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

  /// Whether something in `bytes` may have been masked.
  static func hasMask(_ bytes: [UInt8]) -> Bool {
    bytes.indices.dropLast(mask.count - 1).contains { bytes[$0...].starts(with: mask) }
  }

  /// Whether there is anything to mask.
  var isEmpty: Bool { spellings == nil }

  /// The text with every secret replaced.
  func mask(_ text: String) -> String {
    guard !isEmpty else { return text }
    let bytes = Array(text.utf8)
    let masked = mask(bytes)
    return masked == bytes ? text : String(decoding: masked, as: UTF8.self)
  }

  /// The bytes with every secret replaced.
  func mask(_ bytes: [UInt8]) -> [UInt8] {
    guard var scanner = scanner() else { return bytes }
    return scanner.mask(bytes) + scanner.finish()
  }

  /// What masks a text that arrives in pieces; nil where there is nothing to mask.
  func scanner() -> SecretScanner? { spellings.map { SecretScanner($0) } }

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
    guard var scanner = scanner() else { return bytes }
    return scanner.mask(bytes)
  }
}

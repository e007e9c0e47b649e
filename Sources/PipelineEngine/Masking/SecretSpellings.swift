import Values

/// The possible spellings of secrets, ready to be searched for.
final class SecretSpellings: Sendable {
  /// Shorter pieces (such as a line of a key file that is only a brace) would mask ordinary text everywhere.
  static let shortestPiece = 4

  /// The literal secrets, which may also be percent-encoded, and their spellings as the content of JSON strings.
  let exact: SecretAutomaton
  /// The secrets in Base64.
  let base64: SecretAutomaton
  /// A bit for each pair of bytes with which a secret may begin.
  private let beginnings: [UInt64]

  /// Creates the spellings of `secrets`, none of them empty.
  init(_ secrets: Set<[UInt8]>) {
    var escaped: Set<[UInt8]> = []
    var encoded: Set<[UInt8]> = []
    for secret in secrets {
      escaped.insert(Self.jsonEscaped(secret))
      escaped.formUnion(Self.asciiEscaped(secret))
      for offset in 0..<3 {
        let text = Self.base64(secret, offset: offset)
        guard text.count >= Self.shortestPiece else { continue }
        encoded.insert(text)
        encoded.insert(
          text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 })
      }
    }
    exact = SecretAutomaton(escaped.subtracting(secrets), percentEncoded: secrets)
    base64 = SecretAutomaton(encoded)
    beginnings = Self.beginnings(exact, base64)
  }

  /// Whether a secret in any spelling may begin with these two bytes.
  func mayBegin(with first: UInt8, _ second: UInt8) -> Bool {
    beginnings[Int(first) << 2 | Int(second) >> 6] >> UInt64(second & 63) & 1 == 1
  }

  private static func beginnings(_ exact: SecretAutomaton, _ base64: SecretAutomaton) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: 1024)
    for first in UInt8.min...UInt8.max {
      let (plain, encoded) = (
        exact.child(of: SecretAutomaton.root, first), base64.child(of: SecretAutomaton.root, first)
      )
      let isEncoded = first == UInt8(ascii: "%") || first == UInt8(ascii: "+")
      // One byte may be a whole secret.
      let isAll = isEncoded || exact.has(.end, plain)
      for second in UInt8.min...UInt8.max {
        let may =
          switch second {
          case UInt8(ascii: "%"), UInt8(ascii: "+"): plain != 0
          case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\\"): encoded != 0
          default: false
          }
        guard
          isAll || may || plain != 0 && exact.child(of: plain, second) != 0
            || encoded != 0 && base64.child(of: encoded, second) != 0
        else { continue }
        bits[Int(first) << 2 | Int(second) >> 6] |= 1 << UInt64(second & 63)
      }
    }
    return bits
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

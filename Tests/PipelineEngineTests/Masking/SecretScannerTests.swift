import Foundation
import Testing

@testable import PipelineEngine

@Suite("Masking a text that arrives in pieces") struct SecretScannerTests {
  @Test(
    "masks the same as trying every spelling at every position, whatever the secrets, the text and its pieces",
    arguments: 0..<400)
  func agreesWithTheReference(seed: UInt64) {
    var texts = SecretTexts(seed: seed)
    for _ in 0..<10 {
      let secrets = texts.secrets()
      let reference = ReferenceMasker(secrets)
      let masker = SecretMasker(secrets)
      let text = texts.text(around: secrets)
      let described = "secrets \(secrets), text \(String(decoding: text, as: UTF8.self).debugDescription)"
      #expect(masker.mask(text) == reference.mask(text), "\(described)")
      #expect(masker.maskBeginning(text) == reference.maskBeginning(text), "\(described)")
      guard var scanner = masker.scanner() else { continue }
      var (rest, pending, cuts) = (text[...], [UInt8](), [Int]())
      while !rest.isEmpty {
        let piece = rest.prefix(texts.number(in: 1...7))
        rest = rest.dropFirst(piece.count)
        cuts.append(piece.count)
        pending += piece
        #expect(scanner.mask(piece) == reference.take(from: &pending, isLast: false), "\(described), pieces \(cuts)")
      }
      #expect(scanner.finish() == reference.take(from: &pending, isLast: true), "\(described), pieces \(cuts)")
    }
  }

  @Test("takes linear time for a text in which a secret of many lines begins everywhere", .timeLimit(.minutes(1)))
  func isLinear() {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let lines: [String] = (0..<50).map { (line: Int) -> String in
      String((0..<64).map { (column: Int) -> Character in alphabet[(column * column + 7 * line * column + line) % 64] })
    }
    let masker = SecretMasker([lines.joined(separator: "\n"), String(repeating: "a", count: 4000)])
    // Almost one of the lines, almost all of the other secret, and something that may begin any of them.
    let unit = "\(lines[7].dropLast())\n\(String(repeating: "a", count: 3999))y\nAbCdEf\n"
    let text = Array(repeatElement(unit, count: 250).joined().utf8)
    var scanner = masker.scanner()
    var masked = 0
    for start in stride(from: 0, to: text.count, by: 65536) {
      masked += scanner?.mask(text[start..<min(start + 65536, text.count)]).count ?? 0
    }
    #expect(masked + (scanner?.finish().count ?? 0) == text.count)
  }

  @Test("holds back no more than what may be a secret") func bounded() {
    var scanner = SecretMasker(["correct horse"]).scanner()
    for _ in 0..<1000 {
      _ = scanner?.mask(Array("correct horse correct%20hors".utf8))
    }
    #expect((scanner?.finish().count ?? .max) < 5 * "correct horse".utf8.count)
  }
}

/// Creates secrets and texts from few characters, so that they overlap: in all spellings, truncated, and repeated.
private struct SecretTexts {
  private var generator: SplitMix

  init(seed: UInt64) { generator = SplitMix(state: seed) }

  mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func isOnce(in count: Int) -> Bool { number(in: 1...count) == 1 }

  private mutating func characters(of alphabet: String, count: Int) -> String {
    String((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? "a" })
  }

  mutating func secrets() -> [String] {
    let alphabets = ["ab", "a", "%25", "%2541ABb", " +%20b", "é/\"a", "n\u{9E}~", "abcdefghij", "https://u:p@h?q=1&"]
    return (0..<number(in: 1...4)).map { _ in
      let alphabet = alphabets.randomElement(using: &generator) ?? "ab"
      return (0..<(isOnce(in: 3) ? number(in: 2...4) : 1)).map { _ in
        characters(of: alphabet, count: number(in: 1...9))
      }.joined(separator: "\n")
    }
  }

  mutating func text(around secrets: [String]) -> [UInt8] {
    var text: [UInt8] = []
    for _ in 0..<number(in: 1...12) {
      var part: [UInt8]
      let secret = Array((secrets.randomElement(using: &generator) ?? "").utf8)
      switch number(in: 0...5) {
      case 0: part = Array(characters(of: "ab%25+ \n\\nré\"4", count: number(in: 0...6)).utf8)
      case 1: part = secret
      case 2: part = percentEncoded(secret)
      case 3, 4: part = broken(base64(secret))
      default: part = Array(String(decoding: secret, as: UTF8.self).debugDescription.utf8)
      }
      if isOnce(in: 3) { part = Array(part.prefix(number(in: 0...max(part.count, 1)))) }
      text += part
    }
    return text
  }

  private mutating func percentEncoded(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { byte -> [UInt8] in
      if byte == UInt8(ascii: " "), isOnce(in: 2) { return [UInt8(ascii: "+")] }
      guard isOnce(in: 2) else { return [byte] }
      let format = isOnce(in: 2) ? "%%%02X" : "%%%02x"
      return Array(String(format: format, byte).utf8)
    }
  }

  private mutating func base64(_ bytes: [UInt8]) -> [UInt8] {
    let before = [UInt8](repeating: UInt8(number(in: 0...255)), count: number(in: 0...3))
    let encoded = Array(Data(before + bytes).base64EncodedString().utf8)
    guard isOnce(in: 2) else { return encoded }
    return encoded.map { (byte: UInt8) -> UInt8 in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
  }

  private mutating func broken(_ bytes: [UInt8]) -> [UInt8] {
    let ends = ["\n", "\r\n", "\\n", "\\r\\n", "\n\n", "\n\n\n\n", "\n\n\n\n\n", "\\", "\n\n\n\\n", "\\nn"]
    let one = ends.randomElement(using: &generator) ?? "\n"
    return bytes.flatMap { byte in isOnce(in: 3) ? Array(one.utf8) + [byte] : [byte] }
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

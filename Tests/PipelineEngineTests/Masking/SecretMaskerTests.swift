import Foundation
import Testing
import Values

@testable import PipelineEngine

@Suite("Masking secrets") struct SecretMaskerTests {
  private let masker = SecretMasker(["s3cr&t\"pass"])

  @Test(
    "finds a secret in every form it is likely to take",
    arguments: [
      ("plain s3cr&t\"pass end", "plain *** end"),
      (#"{"token":"s3cr&t\"pass"}"#, #"{"token":"***"}"#),
      ("url?q=s3cr%26t%22pass&x", "url?q=***&x"),
      ("nothing here", "nothing here"),
    ])
  func forms(text: String, masked: String) {
    #expect(masker.mask(text) == masked)
  }

  @Test("finds a secret in Base64 at any offset in the encoded data", arguments: 0..<6)
  func base64(offset: Int) {
    let encoded = Data((String(repeating: "u", count: offset) + "s3cr&t\"pass" + "tail").utf8).base64EncodedString()
    let masked = masker.mask(encoded)
    #expect(masked.contains("***"))
    #expect(masked.count < encoded.count)
  }

  @Test(
    "finds a secret whichever of its characters are percent-encoded, and how",
    arguments: [
      "a/b c&%é", "a%2Fb%20c%26%25%C3%A9", "a%2fb%20c%26%25%c3%a9", "a/b%20c%26%25%C3%A9", "a%2Fb+c%26%25%c3%A9",
    ])
  func percent(spelling: String) throws {
    let masker = SecretMasker(["a/b c&%é"])
    #expect(masker.mask("q=\(spelling)&x") == "q=***&x")
    for cut in 1..<spelling.utf8.count {
      var scanner = try #require(masker.scanner())
      #expect(scanner.mask(spelling.utf8.prefix(cut)).isEmpty)
      let output = scanner.mask(spelling.utf8.dropFirst(cut)) + scanner.finish()
      #expect(String(decoding: output, as: UTF8.self) == "***")
    }
  }

  @Test(
    "finds a secret in Base64 of several lines, in whatever pieces it arrives",
    arguments: ["\n", "\r\n", "\\n", "\\r\\n"], [76, 64, 7])
  func lines(end: String, width: Int) throws {
    let secret = String(repeating: "a secret of some length, ", count: 6)
    var text: [UInt8] = []
    for (index, byte) in Data(secret.utf8).base64EncodedData().enumerated() {
      if index > 0, index % width == 0 { text += end.utf8 }
      text.append(byte)
    }
    let masker = SecretMasker([secret])
    #expect(String(decoding: masker.mask(text), as: UTF8.self) == "***")
    for cut in stride(from: 1, to: text.count, by: 3) {
      var scanner = try #require(masker.scanner())
      let output = scanner.mask(text[..<cut]) + scanner.mask(text[cut...]) + scanner.finish()
      #expect(String(decoding: output, as: UTF8.self) == "***")
    }
  }

  @Test("is not misled by blank lines, nor by text that only begins like a secret") func beginnings() {
    let masker = SecretMasker(["correct horse"])
    let encoded = Data("correct horse".utf8).base64EncodedString().prefix(8)
    #expect(masker.mask("\(encoded)\n\n\n\n\nfoo 100% correct%20hors") == "\(encoded)\n\n\n\n\nfoo 100% correct%20hors")
  }

  @Test("finds a secret that arrives in pieces", arguments: 1..<11)
  func pieces(cut: Int) throws {
    let bytes = Array("a s3cr&t\"pass b".utf8)
    var scanner = try #require(masker.scanner())
    var output = scanner.mask(bytes[..<(2 + cut)])
    #expect(!String(decoding: output, as: UTF8.self).contains("s3"))
    output += scanner.mask(bytes[(2 + cut)...]) + scanner.finish()
    #expect(String(decoding: output, as: UTF8.self) == "a *** b")
  }

  @Test("masks the lines of a multi-line secret, but no short piece of it") func lines() {
    let masker = SecretMasker(["-----BEGIN-----\nabcdefgh\n}\n"])
    #expect(masker.mask("abcdefgh") == "***")
    #expect(masker.mask("}") == "}")
  }

  @Test("masks the longer of two secrets that begin alike") func longest() {
    let masker = SecretMasker(["token", "token-and-more"])
    #expect(masker.mask("token-and-more token") == "*** ***")
  }

  @Test("changes nothing if there is no secret") func none() {
    let masker = SecretMasker(["", ""])
    #expect(masker.isEmpty)
    #expect(masker.mask("text") == "text")
  }
}

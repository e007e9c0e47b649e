import Foundation
import Testing

@testable import Pipelines

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

  @Test("finds a secret in Base64 wherever in the encoded data it begins", arguments: 0..<6)
  func base64(offset: Int) {
    let encoded = Data((String(repeating: "u", count: offset) + "s3cr&t\"pass" + "tail").utf8).base64EncodedString()
    let masked = masker.mask(encoded)
    #expect(masked.contains("***"))
    #expect(masked.count < encoded.count)
  }

  @Test("finds a secret that arrives in pieces", arguments: 1..<11)
  func pieces(cut: Int) {
    let bytes = Array("a s3cr&t\"pass b".utf8)
    var pending = Array(bytes[..<(2 + cut)])
    var output = masker.take(from: &pending, isLast: false)
    #expect(!String(decoding: output, as: UTF8.self).contains("s3"))
    pending += bytes[(2 + cut)...]
    output += masker.take(from: &pending, isLast: true)
    #expect(String(decoding: output, as: UTF8.self) == "a *** b")
  }

  @Test("masks the lines of a secret that has several, but no short piece of it") func lines() {
    let masker = SecretMasker(["-----BEGIN-----\nabcdefgh\n}\n"])
    #expect(masker.mask("abcdefgh") == "***")
    #expect(masker.mask("}") == "}")
  }

  @Test("masks the longer of two secrets that begin alike") func longest() {
    let masker = SecretMasker(["token", "token-and-more"])
    #expect(masker.mask("token-and-more token") == "*** ***")
  }

  @Test("leaves everything as it is when there is no secret") func none() {
    let masker = SecretMasker(["", ""])
    #expect(masker.isEmpty)
    #expect(masker.mask("text") == "text")
  }
}

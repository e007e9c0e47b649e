import Testing

@testable import PipelineEngine

@Suite("A secret that is a URL")
struct HTTPSecretURLTests {
  private let masker = SecretMasker([
    "https://me:pass-word@Hooks.Example.org/services/T01/hunter2-horse?token=abc-def-1&x=1"
  ])

  @Test(
    "is found by its sensitive pieces",
    arguments: [
      (
        "https://hooks.example.org/services/T01/hunter2-horse?… answered 404",
        "https://hooks.example.org***?… answered 404"
      ),
      ("GET /services/T01/hunter2-horse?token=abc-def-1&x=1 HTTP/1.1", "GET *** HTTP/1.1"),
      ("no such hook: services/T01/hunter2-horse", "no such hook: ***"),
      ("token abc-def-1 is bad", "token *** is bad"),
      ("pass-word", "***"),
      ("https://hooks.example.org/other", "https://hooks.example.org/other"),
    ])
  func pieces(text: String, masked: String) {
    #expect(masker.mask(text) == masked)
  }

  @Test("is found by its user name and password together, however short they are")
  func credentials() {
    #expect(SecretURL.pieces(of: "https://ab:cd1@example.org/") == ["ab:cd1"])
  }

  @Test("has no pieces that would be ordinary words, and none if it is not a URL")
  func ordinary() {
    #expect(SecretURL.pieces(of: "https://example.org/api?a=true").contains("true") == false)
    #expect(SecretURL.pieces(of: "https://example.org/api").isEmpty)
    #expect(SecretURL.pieces(of: "hunter2").isEmpty)
    #expect(SecretURL.pieces(of: "postgres://me:secret@h/db").isEmpty)
  }

  @Test("a secret that becomes known later is masked from then on")
  func later() {
    var masker = SecretMasker(["first-secret"])
    masker.add(["second-secret"])
    masker.add(["second-secret", ""])
    #expect(masker.mask("first-secret second-secret") == "*** ***")
  }

  @Test("the beginning of a text ends before what may be half a secret", arguments: 1..<12)
  func beginnings(cut: Int) {
    let masker = SecretMasker(["first-secret"])
    let begun = Array("it was first-secret, and first-secret".utf8)
    let kept = masker.maskBeginning(Array(begun.dropLast(cut)))
    #expect(String(decoding: kept, as: UTF8.self) == "it was ***, and ")
  }
}

import HTTPOperations
import Testing

@Suite("Media types")
struct MediaTypeTests {
  @Test(
    "A media type is parsed as in browsers",
    arguments: [
      ("text/html", "text/html"), (" Text/HTML ; Charset=UTF-8", "text/html; charset=UTF-8"),
      ("a/b;c=\"d \\\" e\";c=f", "a/b; c=\"d \\\" e\""), ("a/b; broken; x=1", "a/b; x=1"), ("a/b;", "a/b"),
      ("a/b; x=\"unended", "a/b"),
    ])
  func read(text: String, shown: String) {
    #expect(MediaType(text)?.description == shown)
  }

  @Test("A text without type and subtype is none", arguments: ["", "text", "text/", "/html", "a b/c", "text/html x"])
  func none(text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test("Patterns accept the types that they describe")
  func patterns() throws {
    let cases: [(String, String, Bool)] = [
      ("application/json", "application/json; charset=utf-8", true),
      ("application/json", "application/problem+json", false),
      ("application/*+json", "application/problem+json", true), ("application/*+json", "application/json", false),
      ("text/*", "text/csv", true), ("text/*", "application/csv", false), ("*/*", "x/y", true),
      ("TEXT/CSV", "text/csv", true),
    ]
    for (pattern, type, welcome) in cases {
      #expect(
        try #require(MediaTypePattern(pattern)).matches(try #require(MediaType(type))) == welcome, "\(pattern) \(type)")
    }
    for text in ["", "json", "*/json", "a/b/c", "a/b;c=d", "a/*b"] { #expect(MediaTypePattern(text) == nil, "\(text)") }
  }

  @Test("JSON is recognized by its name")
  func json() throws {
    for (text, isJSON) in [
      ("application/json", true), ("text/json", true), ("a/b+json", true), ("image/json", false), ("text/plain", false),
    ] {
      #expect(MediaType(text)?.isJSON == isJSON)
    }
  }
}

@Suite("Charsets")
struct TextEncodingTests {
  @Test("Text is decoded in its encoding, without the byte order mark")
  func decode() {
    #expect(TextEncoding.utf8.decode([0xEF, 0xBB, 0xBF, 0xC3, 0xA9]) == "é")
    #expect(TextEncoding.utf8.decode([0xC3]) == nil)
    #expect(TextEncoding.ascii.decode([0x41]) == "A")
    #expect(TextEncoding.ascii.decode([0x80]) == nil)
    #expect(TextEncoding.latin1.decode([0xE9, 0x80]) == "é\u{80}")
    #expect(TextEncoding.windows1252.decode([0x80, 0x9F, 0xE9]) == "€Ÿé")
    #expect(TextEncoding.utf16.decode([0xFF, 0xFE, 0x41, 0]) == "A")
    #expect(TextEncoding.utf16.decode([0xFE, 0xFF, 0, 0x41]) == "A")
    #expect(TextEncoding.utf16BigEndian.decode([0xD8, 0x3D, 0xDE, 0x00]) == "😀")
    #expect(TextEncoding.utf16LittleEndian.decode([0x3D, 0xD8]) == nil)
    #expect(TextEncoding.utf16.decode([0x41]) == nil)
  }

  @Test("Charsets are recognized by the names that servers use")
  func names() {
    #expect(TextEncoding(charset: "UTF8") == .utf8)
    #expect(TextEncoding(charset: "Latin1") == .latin1)
    #expect(TextEncoding(charset: "CP1252") == .windows1252)
    #expect(TextEncoding(charset: "koi8-r") == nil)
    for encoding in TextEncoding.allCases { #expect(TextEncoding(charset: encoding.rawValue) == encoding) }
  }
}

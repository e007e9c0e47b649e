import Testing

@testable import PipelineLanguage

@Suite("Patterns")
struct TextPatternTests {
  @Test(
    "a pattern matches a whole text",
    arguments: [
      ("abc", "abc", true), ("abc", "abcd", false), ("a.c", "axc", true), ("a|bc", "bc", true), ("a*", "", true),
      ("(ab)+", "ababab", true), ("(ab)+", "aba", false), ("[a-c]{2,3}", "abc", true), ("[a-c]{2,3}", "a", false),
      ("[^x]+", "abc", true), ("[^x]+", "axc", false), (#"\d{4}-\d\d"#, "2026-01", true), (#"[\w.]+"#, "a_1.b", true),
      ("^a$", "a", true), ("a^b", "ab", false), ("[]a]+", "]a", true), ("[a-]+", "a-", true), ("a{2}", "aa", true),
      ("a{2,}", "aaaa", true), ("(?:x|y)?z", "z", true), ("é+", "éé", true), ("", "", true), ("", "a", false),
    ])
  func matching(pattern: String, text: String, matches: Bool) throws {
    #expect(try TextPattern(pattern).matchesWhole(text) == matches)
  }

  @Test(
    "errors in a pattern are reported with their position",
    arguments: [
      ("(", 0, "a '(' lacks its ')'"), ("a)", 1, "there is a ')' without its '('"), ("[a", 0, "a '[' lacks its ']'"),
      ("*a", 0, "there is nothing to repeat"), (#"\b"#, 0, #"'\b' is not available"#),
      ("(?=a)", 0, "look-around and named groups are not available"),
      ("a{3,1}", 1, "the smaller number must come first"), ("a{9999}", 1, "it repeats more than 1000 times"),
      (#"a\"#, 1, #"nothing follows the '\'"#),
    ])
  func failures(pattern: String, offset: Int, message: String) {
    #expect {
      _ = try TextPattern(pattern)
    } throws: { error in
      let failure = error as? TextPattern.Failure
      return failure?.message == message && failure?.offset == offset
    }
  }

  @Test("a pattern that causes backtracking elsewhere takes no longer than others")
  func hostilePatterns() throws {
    let text = String(repeating: "a", count: 5_000) + "!"
    #expect(try !TextPattern("(a+)+").matchesWhole(text))
    #expect(try !TextPattern("(a|aa)+").matchesWhole(text))
    #expect(throws: TextPattern.Failure.self) { try TextPattern("((a{100}){100}){100}") }
    #expect(throws: TextPattern.Failure.self) { try TextPattern(String(repeating: "(", count: 10_000)) }
  }
}

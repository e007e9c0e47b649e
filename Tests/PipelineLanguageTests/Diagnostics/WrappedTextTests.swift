import Testing

@testable import PipelineLanguage

@Suite("Text on several lines of a terminal") struct WrappedTextTests {
  @Test(
    "lines are broken between words, and within words that are too long",
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("one two three", 8, ["one two", "three"]),
      ("abcdefghij k", 4, ["abcd", "efgh", "ij k"]), ("a\n\nb\n", 9, ["a", "", "b"]), ("a\r\nb\tc", 9, ["a", "b c"]),
      ("日本語 日本", 6, ["日本語", "日本"]), ("日本語", 5, ["日本", "語"]), ("", 5, []),
      ("\u{1B}[2Jx", 8, ["\\x1b[2Jx"]), ("a\u{202E}b", 20, ["a\\u{202e}b"]),
    ])
  func wrapped(text: String, width: Int, lines: [String]) {
    #expect(TerminalText.wrapped(text, width: width) == lines)
    for line in TerminalText.wrapped(text, width: width) { #expect(TerminalText.width(of: line) <= width) }
  }
}

import Testing

@testable import penstock

@Suite("Lines on a terminal") struct TerminalLinesTests {
  @Test(
    "are wrapped between words, and a long word is not broken",
    arguments: [
      ("one two three", 7, 0, "one two\nthree"), ("one two three", 7, 2, "one two\n  three"),
      ("one two three", 13, 0, "one two three"), ("a wordthatislong b", 6, 0, "a\nwordthatislong\nb"),
      ("title       text more", 16, 12, "title       text\n            more"),
      ("  two behind", 8, 4, "  two\n    behind"), ("日本 語", 6, 0, "日本\n語"), ("", 3, 0, ""),
      ("\u{1B}[1;31mone\u{1B}[0m two", 7, 0, "\u{1B}[1;31mone\u{1B}[0m two"),
    ])
  func wrapped(text: String, width: Int, indentation: Int, expected: String) {
    #expect(TerminalLines.wrapped(text, width: width, indentation: indentation) == expected)
    #expect(TerminalLines.wrapped(text, width: nil) == text)
  }
}

import Testing

@testable import PipelineLanguage

@Suite("Names and words for a terminal and a shell") struct ItemLabelTextTests {
  @Test(
    "a label is shown on one line, with the end of a path",
    arguments: [
      ("a.csv", 40, "a.csv"), ("two\nlines\t", 40, "two lines"), ("\u{1B}[31mred", 40, "\\x1b[31mred"),
      ("linux, arm64, x", 8, "linux, …"), ("in/here/orders.csv", 11, "…orders.csv"),
      ("in/orders.csv", 13, "in/orders.csv"),
    ])
  func label(text: String, width: Int, shown: String) {
    #expect(TerminalText.label(text, width: width) == shown)
    #expect(TerminalText.width(of: shown) <= width)
  }

  @Test("a label follows the name")
  func name() {
    #expect(TerminalText.name("convert[136]", label: "orders-0137.csv") == "convert[136] orders-0137.csv")
    #expect(TerminalText.name("a\u{7}", label: nil) == "a\\x07")
  }

  @Test(
    "words are quoted for a shell only if necessary",
    arguments: [
      ("a/b-c.yaml", "a/b-c.yaml"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("$x", "'$x'"),
      ("a[1]", "'a[1]'"), ("=ls", "'=ls'"), ("a=b", "a=b"), ("a\\'\\\\b", "'a'\\\\''\\'''\\\\''\\\\'b'"),
    ])
  func shell(word: String, quoted: String) {
    #expect(ShellText.quoted(word) == quoted)
  }
}

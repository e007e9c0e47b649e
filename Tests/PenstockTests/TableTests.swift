import Testing

@testable import penstock

@Suite("Tables")
struct TableTests {
  private func table() -> Table {
    var table = Table([.init("NAME"), .init("TOOK", right: true), .init("WHY")])
    table.add("fetch", "1.2s", "")
    table.add("日本", "12s", "a long reason that goes on and on")
    return table
  }

  @Test("columns are aligned by what the terminal shows, and nothing trails")
  func aligned() {
    #expect(
      table().render(width: nil, style: .plain) == """
        NAME   TOOK  WHY
        fetch  1.2s
        日本    12s  a long reason that goes on and on

        """)
  }

  @Test("the widest column gives way to the terminal's width")
  func cut() {
    let lines = table().render(width: 24, style: .plain).split(separator: "\n")
    #expect(lines.last == "日本    12s  a long rea…")
  }

  @Test("what acts on a terminal is shown as text")
  func harmless() {
    var table = Table([.init("A")])
    table.add("x\u{1B}[2Jy")
    #expect(table.render(width: nil, style: .plain) == "A\nx\\x1b[2Jy\n")
  }

  @Test("colours do not disturb the alignment")
  func painted() {
    var table = Table([.init("STATE") { StatePaint.ofWord($0) }, .init("B")])
    table.add("failed", "x")
    let text = table.render(width: nil, style: Style(isColored: true, isUnicode: true))
    #expect(text.hasSuffix("\u{1B}[1;31mfailed\u{1B}[0m  x\n"))
  }

  @Test(
    "CSV quotes what needs it",
    arguments: [
      (["a", "b"], "a,b\n"), (["a,b", "c\"d"], "\"a,b\",\"c\"\"d\"\n"), (["two\nlines", ""], "\"two\nlines\",\n"),
    ])
  func csv(cells: [String], line: String) {
    #expect(CSV.line(cells) == line)
  }

  @Test(
    "words are quoted for a shell only where they must be",
    arguments: [("a/b-c.yaml", "a/b-c.yaml"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("$x", "'$x'")])
  func shell(word: String, quoted: String) {
    #expect(ShellText.quoted(word) == quoted)
  }
}

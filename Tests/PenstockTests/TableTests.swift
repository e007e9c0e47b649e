import PipelineLanguage
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

  @Test("columns are aligned by their width on the terminal, without trailing spaces")
  func aligned() {
    #expect(
      table().render(width: nil, style: .plain) == """
        NAME   TOOK  WHY
        fetch  1.2s
        日本    12s  a long reason that goes on and on

        """)
  }

  @Test("the widest column shrinks to fit the terminal")
  func cut() {
    let lines = table().render(width: 24, style: .plain).split(separator: "\n")
    #expect(lines.last == "日本    12s  a long rea…")
  }

  @Test("no line is wider than the terminal, however narrow it is", arguments: 1...60)
  func narrow(width: Int) {
    var table = Table((1...6).map { Table.Column("COLUMN \($0)", right: $0 == 5) })
    table.add("2py1kkvq", "nightly-release", "succeeded", "3 minutes ago", "1.2s", "4 succeeded, 1 failed")
    for line in table.render(width: width, style: .plain).split(separator: "\n") {
      #expect(TerminalText.width(of: String(line)) <= width)
    }
  }

  @Test("columns that do not fit are omitted on the right, with a sign after the headings")
  func leftOut() {
    var table = Table(["RUN", "PIPELINE", "STATE", "TOOK"].map { Table.Column($0) })
    table.add("2py1kkvq", "nightly-release", "succeeded", "1.2s")
    #expect(
      table.render(width: 20, style: .plain) == """
        RUN       PIPELINE …
        2py1kkvq  nightly…

        """)
    var numbers = Table([.init("RUN"), .init("TOOK", right: true)])
    numbers.add("2py1kkvq", "1.25s")
    #expect(numbers.render(width: 12, style: .plain) == "RUN …\n2py1kkvq\n")
    #expect(table.titlesLeftOut(width: 20) == ["STATE", "TOOK"])
    #expect(table.titlesLeftOut(width: 80) == [])
    #expect(table.titlesLeftOut(width: nil) == [])
  }

  /// Returns a table like that of `penstock occasions`.
  private func occasions(_ reason: String) -> Table {
    var table = Table([
      .init("PIPELINE"), .init("WHEN", keeping: Table.time), .init("CAUSE"), .init("RUN", keeping: Table.id),
      .init("REASON", sentences: true),
    ])
    table.add("a-nightly-release", "2026-11-27 00:30:00", "cron", "2py1kkvq", "")
    table.add("a-nightly-release", "2026-11-26 00:30:00", "request by ada", "", reason)
    return table
  }

  @Test("sentences that do not fit are shown below their rows, and times are not truncated")
  func sentences() {
    #expect(
      occasions("overlap: run 2py1kkvq was in the way, and another one after it")
        .render(width: 60, style: .plain) == """
          PIPELINE       WHEN                 CAUSE           RUN
            REASON
          a-nightly-re…  2026-11-27 00:30:00  cron            2py1kkvq
          a-nightly-re…  2026-11-26 00:30:00  request by ada
            overlap: run 2py1kkvq was in the way, and another one
            after it

          """)
    let wide = occasions("paused").render(width: 76, style: .plain)
    #expect(wide.contains("00:30:00  request by ada            paused"))
    for width in 1...80 {
      let text = occasions("a reason that is rather long for such a narrow place").render(width: width, style: .plain)
      for line in text.split(separator: "\n") {
        #expect(TerminalText.width(of: String(line)) <= width)
        #expect(!line.contains(#/2026-11-27 [0-9:]*…/#))
      }
    }
  }

  @Test("items of one loop remain distinct in a column that is too narrow for their names")
  func names() {
    var table = Table([.init("OPERATION", names: true), .init("STATE")])
    for item in ["[0] debian-bookworm", "[1] ubuntu-noble"] { table.add("  build-and-sign-packages\(item)", "failed") }
    #expect(
      table.render(width: 33, style: .plain) == """
        OPERATION                  STATE
          bui…[0] debian-bookworm  failed
          build-…[1] ubuntu-noble  failed

        """)
  }

  @Test("control characters are escaped")
  func harmless() {
    var table = Table([.init("A\u{1B}")])
    table.add("x\u{1B}[2Jy")
    #expect(table.render(width: nil, style: .plain) == "A\\x1b\nx\\x1b[2Jy\n")
  }

  @Test("colors do not affect the alignment")
  func painted() {
    var table = Table([.init("STATE") { StatePaint.ofWord($0) }, .init("B")])
    table.add("failed", "x")
    let text = table.render(width: nil, style: Style(isColored: true, isUnicode: true))
    #expect(text.hasSuffix("\u{1B}[1;31mfailed\u{1B}[0m  x\n"))
  }

  @Test(
    "CSV quotes only cells that need it",
    arguments: [
      (["a", "b"], "a,b\n"), (["a,b", "c\"d"], "\"a,b\",\"c\"\"d\"\n"), (["two\nlines", ""], "\"two\nlines\",\n"),
    ])
  func csv(cells: [String], line: String) {
    #expect(CSV.line(cells) == line)
  }
}

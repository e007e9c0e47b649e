import PipelineLanguage
import Testing

@Suite("Printing diagnostics")
struct DiagnosticRendererTests {
  private let source = SourceText(
    path: "release.yaml",
    text: "name: x\n\toperations: 日本 y\n    inject: ${{ results.fetsh }}\nlast: \u{1B}[31m\u{202E}red\n\n"
  )

  @Test("a finding shows its line, its position and the fix")
  func one() {
    expect(
      [finding(3, 25, 30, "there is no operation 'fetsh' in this pipeline", fix: "did you mean 'results.fetch'?")],
      """
      release.yaml:3:25: error[unknown-reference]: there is no operation 'fetsh' in this pipeline
        3 |     inject: ${{ results.fetsh }}
          |                         ^~~~~ did you mean 'results.fetch'?
      1 error

      """
    )
  }

  @Test("findings are sorted by line, column and code, without duplicates, and counted")
  func sorted() {
    let warning = Diagnostic(.warning, otherCode: "a", "first", file: "release.yaml", range: range(1, 1, 5))
    let error = Diagnostic(.error, otherCode: "b", "second", file: "release.yaml", range: range(1, 1, 5))
    let late = finding(3, 1, 1, "late")
    expect(
      [late, error, warning, late, error],
      """
      release.yaml:1:1: warning[a]: first
        1 | name: x
          | ^~~~
      release.yaml:1:1: error[b]: second
        1 | name: x
          | ^~~~
      release.yaml:3:1: error[unknown-reference]: late
        3 |     inject: ${{ results.fetsh }}
          | ^
      2 errors, 1 warning

      """
    )
  }

  @Test("tabs and wide characters keep the caret in position")
  func columns() {
    expect(
      [finding(2, 17, 18, "the y"), finding(2, 1, 2, "the tab"), finding(2, 14, 16, "wide")],
      """
      release.yaml:2:1: error[unknown-reference]: the tab
        2 |     operations: 日本 y
          | ^~~~
      release.yaml:2:14: error[unknown-reference]: wide
        2 |     operations: 日本 y
          |                 ^~~~
      release.yaml:2:17: error[unknown-reference]: the y
        2 |     operations: 日本 y
          |                      ^
      3 errors

      """
    )
  }

  @Test("a range over several lines is underlined to the end of its first line")
  func severalLines() {
    let range = SourceRange(start: SourceMark(line: 1, column: 4), end: SourceMark(line: 3, column: 2))
    expect(
      [Diagnostic(otherCode: "c", "long", file: "release.yaml", range: range)],
      """
      release.yaml:1:4: error[c]: long
        1 | name: x
          |    ^~~~
      1 error

      """
    )
  }

  @Test("a position past the end of the line has its caret there")
  func behindEnd() {
    expect(
      [finding(1, 8, 8, "nothing here"), finding(1, 30, 40, "far behind")],
      """
      release.yaml:1:8: error[unknown-reference]: nothing here
        1 | name: x
          |        ^
      release.yaml:1:30: error[unknown-reference]: far behind
        1 | name: x
          |        ^
      2 errors

      """
    )
  }

  @Test("an empty line, a missing line and an unknown file have no excerpt")
  func noExcerpt() {
    let elsewhere = Diagnostic(otherCode: "d", "gone", file: "other.yaml", range: .beginning, fix: "look for it")
    expect(
      [finding(5, 1, 1, "empty", fix: "write something"), finding(40, 1, 1, "no line"), elsewhere],
      """
      release.yaml:5:1: error[unknown-reference]: empty
          = write something
      release.yaml:40:1: error[unknown-reference]: no line
      other.yaml:1:1: error[d]: gone
          = look for it
      3 errors

      """
    )
  }

  @Test("control characters are escaped")
  func visible() {
    let diagnostic = Diagnostic(
      otherCode: "e", "the key '\u{7}\n'", file: "re\u{1B}lease.yaml", range: range(4, 7, 8), fix: "no \u{9B}"
    )
    let source = SourceText(path: diagnostic.file, text: source.text)
    #expect(
      DiagnosticRenderer().render([diagnostic], in: [source]) == """
        re\\x1blease.yaml:4:7: error[e]: the key '\\x07\\x0a'
          4 | last: \\x1b[31m\\u{202e}red
            |       ^~~~ no \\x9b
        1 error

        """
    )
  }

  @Test("a fix that does not fit beside the caret is placed below it")
  func longFix() {
    let fix = "a fix of quite some length that needs its own line"
    expect(
      [finding(3, 25, 30, "long", fix: fix)],
      """
      release.yaml:3:25: error[unknown-reference]: long
        3 |     inject: ${{ results.fetsh }}
          |                         ^~~~~
          = a fix of quite some length that needs its own line
      1 error

      """,
      width: 60
    )
  }

  @Test("a long line is cut around the position")
  func longLine() {
    let text = (0..<40).map { "w\($0)" }.joined(separator: " ")
    let long = SourceText(path: "l.yaml", text: text + "\n" + String(repeating: "é", count: 5_000_000) + "X")
    func shown(_ line: Int, _ start: Int, _ end: Int) -> String {
      let range = range(line, start, end)
      return DiagnosticRenderer(width: 40).render(
        Diagnostic(otherCode: "f", "x", file: "l.yaml", range: range), in: long)
    }
    #expect(
      shown(1, 1, 3) == """
        l.yaml:1:1: error[f]: x
          1 | w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w…
            | ^~

        """
    )
    #expect(
      shown(1, 71, 74) == """
        l.yaml:1:71: error[f]: x
          1 | …7 w18 w19 w20 w21 w22 w23 w24 w…
            |            ^~~

        """
    )
    #expect(
      shown(1, 147, 150) == """
        l.yaml:1:147: error[f]: x
          1 | …w32 w33 w34 w35 w36 w37 w38 w39
            |                              ^~~

        """
    )
    #expect(
      shown(2, 5_000_001, 5_000_002) == """
        l.yaml:2:5000001: error[f]: x
          2 | …ééééééééééééééééééééééééééééééX
            |                                ^

        """
    )
  }

  @Test("colours are used on request")
  func colours() {
    let renderer = DiagnosticRenderer(color: true)
    let warning = Diagnostic(
      .warning, otherCode: "g", "careful", file: "release.yaml", range: range(1, 1, 5), fix: "stop")
    #expect(
      renderer.render(warning, in: source)
        == "\u{1B}[1mrelease.yaml:1:1:\u{1B}[0m \u{1B}[1;33mwarning[g]:\u{1B}[0m \u{1B}[1mcareful\u{1B}[0m\n"
        + "\u{1B}[34m  1 | \u{1B}[0mname: x\n\u{1B}[34m    | \u{1B}[0m\u{1B}[1;33m^~~~\u{1B}[0m stop\n"
    )
  }

  @Test("no findings yield an empty text, and counts use the right plural")
  func counts() {
    #expect(DiagnosticRenderer().render([], in: [source]) == "")
    let warning = Diagnostic(.warning, otherCode: "h", "x", file: "f", range: .beginning)
    let error = Diagnostic(otherCode: "h", "x", file: "f", range: .beginning)
    #expect(DiagnosticRenderer.summary(of: []) == "no errors")
    #expect(DiagnosticRenderer.summary(of: [warning, warning]) == "2 warnings")
    #expect(DiagnosticRenderer.summary(of: [error, warning]) == "1 error, 1 warning")
  }

  @Test("files come in the order of their sources, followed by others by name")
  func files() {
    let diagnostics = ["b", "d", "a", "c"].map { Diagnostic(otherCode: "i", "x", file: $0, range: .beginning) }
    #expect(DiagnosticRenderer.sorted(diagnostics, files: ["c", "b"]).map(\.file) == ["c", "b", "a", "d"])
  }

  @Test("a diagnostic as JSON has all of its parts")
  func json() {
    #expect(
      finding(3, 25, 30, "m", fix: "f").jsonValue()
        == .object([
          "file": .string("release.yaml"), "line": .int(3), "column": .int(25), "endLine": .int(3),
          "endColumn": .int(30), "severity": .string("error"), "code": .string("unknown-reference"),
          "message": .string("m"), "fix": .string("f"),
        ])
    )
    guard case .object(let members) = finding(1, 1, 1, "m").jsonValue() else {
      Issue.record("not an object")
      return
    }
    #expect(members["fix"] == .null)
  }

  private func finding(_ line: Int, _ start: Int, _ end: Int, _ message: String, fix: String? = nil) -> Diagnostic {
    Diagnostic(
      otherCode: "unknown-reference", message, file: "release.yaml", range: range(line, start, end), fix: fix
    )
  }

  private func range(_ line: Int, _ start: Int, _ end: Int) -> SourceRange {
    SourceRange(start: SourceMark(line: line, column: start), end: SourceMark(line: line, column: end))
  }

  private func expect(
    _ diagnostics: [Diagnostic], _ text: String, width: Int = 100, at location: SourceLocation = #_sourceLocation
  ) {
    #expect(DiagnosticRenderer(width: width).render(diagnostics, in: [source]) == text, sourceLocation: location)
  }
}

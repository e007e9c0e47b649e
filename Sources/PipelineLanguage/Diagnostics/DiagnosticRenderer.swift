/// Formats findings for people, as a compiler does.
///
///     release.yaml:12:25: error[unknown-reference]: there is no operation 'fetsh' in this pipeline
///       12 |     inject: ${{ results.fetsh }}
///          |                         ^~~~~ did you mean 'results.fetch'?
///
/// No text from a file reaches the terminal unescaped: control characters are shown as `\x1b` and the like.
public struct DiagnosticRenderer: Sendable {
  /// Whether to use ANSI colours. Default: false.
  public var color: Bool
  /// The number of terminal columns; longer source lines are cut around the place of the finding. Default: 100.
  public var width: Int

  /// Creates a renderer, by default without colours and for 100 columns.
  public init(color: Bool = false, width: Int = 100) {
    self.color = color
    self.width = width
  }

  /// Returns all of `diagnostics`, each with its source line, and a final line such as `2 errors, 1 warning`.
  ///
  /// Files come in the order of `sources`, followed by others in alphabetical order; findings within a file are sorted by line, column and code.
  /// Duplicates are shown once. Without findings, the text is empty.
  ///
  /// - Parameters:
  ///   - diagnostics: The findings, in any order.
  ///   - sources: The texts of the files; a finding in another file is printed without its source line.
  /// - Returns: Lines that each end with a line feed.
  public func render(_ diagnostics: [Diagnostic], in sources: [SourceText]) -> String {
    guard !diagnostics.isEmpty else { return "" }
    let sorted = Self.sorted(diagnostics, files: sources.map(\.path))
    let texts = Dictionary(sources.map { ($0.path, $0) }) { first, _ in first }
    let entries = sorted.map { render($0, in: texts[$0.file], noteIn: $0.note.flatMap { texts[$0.file] }) }
    return entries.joined() + Self.summary(of: sorted) + "\n"
  }

  /// Returns the first error, in the order of ``render(_:in:)``, on one line without its source line; nil if there is none.
  package func firstError(in diagnostics: [Diagnostic], of sources: [SourceText]) -> String? {
    let errors = diagnostics.filter { $0.severity == .error }
    guard let first = Self.sorted(errors, files: sources.map(\.path)).first else { return nil }
    return render(first, in: nil).split(separator: "\n", maxSplits: 1).first.map(String.init)
  }

  /// Returns a finding with its source line, if `source` is the text of its file, and that of its note, if `noteSource` is.
  public func render(
    _ diagnostic: Diagnostic, in source: SourceText?, noteIn noteSource: SourceText? = nil
  ) -> String {
    let style = style(of: diagnostic.severity)
    let kind = paint("\(diagnostic.severity.rawValue)[\(diagnostic.code)]:", style)
    let header = header(diagnostic.file, diagnostic.range.start, kind, diagnostic.message)
    var text = header + excerpt(of: diagnostic.range, in: source, style, fix: diagnostic.fix)
    if let note = diagnostic.note {
      text += self.header(note.file, note.range.start, paint("note:", .blue), note.message)
      text += excerpt(of: note.range, in: noteSource, .blue, fix: nil)
    }
    return text
  }

  private func header(_ file: String, _ start: SourceMark, _ kind: String, _ message: String) -> String {
    let place = paint("\(TerminalText.visible(file)):\(start.line):\(start.column):", .bold)
    return "\(place) \(kind) \(paint(TerminalText.visible(message), .bold))\n"
  }

  /// Returns the source line with its carets, and the fix beside or below them.
  private func excerpt(of range: SourceRange, in source: SourceText?, _ style: Style, fix: String?) -> String {
    let fix = fix.map(TerminalText.visible)
    let digits = String(range.start.line)
    let gutter = String(repeating: " ", count: digits.count + 2)
    guard let source, !source.line(range.start.line).isEmpty else {
      return fix.map { paint("\(gutter) = ", .blue) + $0 + "\n" } ?? ""
    }
    let excerpt = SourceExcerpt(of: range, in: source, width: max(20, width - gutter.count - 3))
    var text = paint("  \(digits) | ", .blue) + excerpt.line + "\n"
    text += paint("\(gutter) | ", .blue) + excerpt.indentation + paint(excerpt.caret, style)
    if let fix {
      let column = gutter.count + 3 + excerpt.caretEnd
      if column + 1 + TerminalText.width(of: fix) <= width {
        text += " " + fix
      } else {
        text += "\n" + paint("\(gutter) = ", .blue) + fix
      }
    }
    return text + "\n"
  }

  /// Returns `diagnostics` sorted by file, line, column and code, without duplicates. Files in `files` come first, in that order.
  public static func sorted(_ diagnostics: [Diagnostic], files: [String] = []) -> [Diagnostic] {
    let ranks = Dictionary(files.enumerated().map { ($1, $0) }) { first, _ in first }
    func key(_ diagnostic: Diagnostic) -> (Int, String, Int, Int, String, String) {
      let start = diagnostic.range.start
      let rank = ranks[diagnostic.file] ?? files.count
      return (rank, diagnostic.file, start.line, start.column, diagnostic.code, diagnostic.message)
    }
    var seen = Set<Diagnostic>()
    return diagnostics.filter { seen.insert($0).inserted }.sorted { key($0) < key($1) }
  }

  /// Returns the number of findings, such as `2 errors, 1 warning`; zero counts are omitted.
  public static func summary(of diagnostics: [Diagnostic]) -> String {
    let errors = diagnostics.count { $0.severity == .error }
    let warnings = diagnostics.count - errors
    var parts: [String] = []
    if errors > 0 { parts.append(errors == 1 ? "1 error" : "\(errors) errors") }
    if warnings > 0 { parts.append(warnings == 1 ? "1 warning" : "\(warnings) warnings") }
    return parts.isEmpty ? "no errors" : parts.joined(separator: ", ")
  }

  // MARK: - Colours

  private enum Style: String {
    case bold = "1"
    case red = "1;31"
    case yellow = "1;33"
    case blue = "34"
  }

  private func style(of severity: Diagnostic.Severity) -> Style {
    switch severity {
    case .error: .red
    case .warning: .yellow
    }
  }

  private func paint(_ text: String, _ style: Style) -> String {
    color ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }
}

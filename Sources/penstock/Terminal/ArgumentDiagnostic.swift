import PipelineLanguage

/// What is wrong with the text of an argument, shown like a mistake in a file.
struct ArgumentDiagnostic {
  /// What the argument is called, in the place of a file's name.
  var name: String
  var text: String
  var code: String
  var message: String
  /// Where in the text, counted in Unicode scalars from 1; 0 counts as 1.
  var position: Int
  /// How many Unicode scalars it is about.
  var length: Int
  var fix: String?

  /// The message with the text and a caret, for standard error.
  func render(_ color: ColorChoice) -> String {
    let position = max(1, position)
    let source = SourceText(path: name, text: text)
    let offset = text.unicodeScalars.prefix(position - 1).reduce(0) { $0 + UTF8.width($1) }
    let start = source.mark(atUTF8Offset: offset)
    let end = SourceMark(line: start.line, column: start.column + max(1, length))
    let diagnostic = Diagnostic(
      otherCode: code, "\(message) (position \(position))", file: name, range: SourceRange(start: start, end: end),
      fix: fix)
    let style = Style(color, for: .error)
    return DiagnosticRenderer(color: style.isColored).render(diagnostic, in: source)
  }
}

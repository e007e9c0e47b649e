import PipelineLanguage

/// A finding in the text of an argument, formatted like one in a file.
struct ArgumentDiagnostic {
  /// The name of the argument, in place of a file's name.
  var name: String
  var text: String
  var code: String
  var message: String
  /// The position in the text, in Unicode scalars from 1; 0 counts as 1.
  var position: Int
  /// The length of the range, in Unicode scalars.
  var length: Int
  var fix: String?

  /// Returns the message with the text and a caret, for standard error.
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

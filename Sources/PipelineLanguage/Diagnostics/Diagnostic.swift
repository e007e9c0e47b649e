/// One finding about a pipeline file: what is wrong, where, and what to do about it.
public struct Diagnostic: Sendable, Hashable {
  /// How bad a finding is. Only errors keep a file from running.
  public enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  /// How bad it is.
  public var severity: Severity
  /// A stable, kebab-case identifier, such as `unknown-key`: one that `Documentation/diagnostics.md` lists, or a plugin's own.
  public var code: String
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// The path of the file, as the user named it.
  public var file: String
  /// Where in the file.
  public var range: SourceRange
  /// What to do, such as `did you mean 'results.fetch'?`.
  public var fix: String?
  /// The other place that it concerns, where there is one: an included file and the pipeline that includes it have a part each.
  public var note: Note?

  /// Another place that a finding concerns.
  public struct Note: Sendable, Hashable {
    /// What is there, without a full stop.
    public var message: String
    /// The path of the file, as messages show it.
    public var file: String
    /// Where in the file.
    public var range: SourceRange
  }

  /// A finding at `range` of `file`.
  package init(
    _ severity: Severity = .error, code: DiagnosticCode, _ message: String, file: String, range: SourceRange,
    fix: String? = nil, note: Note? = nil
  ) {
    self.init(severity, otherCode: code.rawValue, message, file: file, range: range, fix: fix, note: note)
  }

  /// A finding whose code is not one of the language's own: that of an expression, or of a plugin.
  package init(
    _ severity: Severity = .error, otherCode code: String, _ message: String, file: String, range: SourceRange,
    fix: String? = nil, note: Note? = nil
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.file = file
    self.range = range
    self.fix = fix
    self.note = note
  }
}

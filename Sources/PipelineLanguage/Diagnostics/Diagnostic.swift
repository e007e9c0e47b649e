/// A finding about a pipeline file: what is wrong, where, and how to fix it.
public struct Diagnostic: Sendable, Hashable {
  /// The severity of a finding. Only errors prevent a file from running.
  public enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  /// The severity.
  public var severity: Severity
  /// A stable, kebab-case identifier, such as `unknown-key`: one that `Documentation/diagnostics.md` lists, or a plugin's own.
  public var code: String
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// The path of the file, as the user named it.
  public var file: String
  /// The place in the file.
  public var range: SourceRange
  /// How to fix it, such as `did you mean 'results.fetch'?`.
  public var fix: String?
  /// The other place involved, if any, such as the pipeline that includes the file.
  public var note: Note?

  /// Another place that a finding involves.
  public struct Note: Sendable, Hashable {
    /// The message, without a full stop.
    public var message: String
    /// The path of the file, as messages show it.
    public var file: String
    /// The place in the file.
    public var range: SourceRange
  }

  /// Creates a finding at `range` of `file`.
  package init(
    _ severity: Severity = .error, code: DiagnosticCode, _ message: String, file: String, range: SourceRange,
    fix: String? = nil, note: Note? = nil
  ) {
    self.init(severity, otherCode: code.rawValue, message, file: file, range: range, fix: fix, note: note)
  }

  /// Creates a finding with a code that is not one of the language's own, but that of an expression or a plugin.
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

import Expressions
import PluginHost
import Values

/// Reads one pipeline file: turns nodes into values and collects what is wrong with them.
///
/// Its methods are spread over one file for each part of the language. Every one of them reports what it cannot read and goes on,
/// so that one run finds everything. Used by one thread, for one file.
package final class DocumentReader {
  let source: SourceText
  /// The directory that relative paths in it start from.
  var directory = "."
  /// The texts that nodes may come from, the file itself first: ``SourceRange/origin`` is a position among them.
  var origins: [NodeOrigin]
  /// Whether operations that extend a template have been joined with it, as far as that was possible.
  var hasTemplates = false
  /// Whether it includes a file that cannot be read, which may hold whatever name is unknown.
  var lacksIncluded = false
  private(set) var diagnostics: [Diagnostic] = []
  /// The specifications that formulas may name, with their positions.
  var specifications: [String: Int] = [:]
  /// Every formula that could be read, in the order of reading.
  var formulas: [SpecificationSite] = []
  /// Every use of a plugin outside operations, in the order of reading.
  var pluginUses: [PluginUseDraft] = []

  /// What shapes the outcome of each operation, by its name, where that is asked for.
  private(set) var shapes: [String: OperationShape] = [:]
  /// Whether it is.
  let notesShapes: Bool

  /// The codes of errors that are warnings here.
  private let forgiven: Set<String>
  /// Whether the text is one that has been run before.
  var isRecorded: Bool { !forgiven.isEmpty }
  /// Where files of params and variables are found.
  let settings: SettingFiles
  /// What was read of them.
  var found = FoundSettings()

  package convenience init(source: SourceText) {
    self.init(source: source, settings: SettingFiles())
  }

  init(source: SourceText, forgiven: Set<String> = [], notesShapes: Bool = false, settings: SettingFiles) {
    self.source = source
    origins = [NodeOrigin(text: source)]
    self.forgiven = forgiven
    self.notesShapes = notesShapes
    self.settings = settings
  }

  func note(_ shape: OperationShape, of name: String) {
    shapes[name] = shape
  }

  /// A reader for a part of the same file, which knows what this one knows of the file, and has found nothing yet.
  func sibling() -> DocumentReader {
    let sibling = DocumentReader(source: source, forgiven: forgiven, notesShapes: notesShapes, settings: settings)
    sibling.specifications = specifications
    sibling.directory = directory
    sibling.origins = origins
    sibling.hasTemplates = hasTemplates
    sibling.lacksIncluded = lacksIncluded
    return sibling
  }

  /// Adds what a sibling has found.
  func take(_ sibling: DocumentReader) {
    diagnostics += sibling.diagnostics
    formulas += sibling.formulas
    pluginUses += sibling.pluginUses
    shapes.merge(sibling.shapes) { $1 }
    found.add(sibling.found)
  }

  // MARK: - Findings

  func report(_ diagnostic: Diagnostic) {
    diagnostics.append(diagnostic)
  }

  func error(_ code: DiagnosticCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(code.rawValue, message, at: range, fix: fix)
  }

  /// An error with the code of a module below.
  func error(_ code: some FindingCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(code.rawValue, message, at: range, fix: fix)
  }

  /// An error with the code of a plugin's failure, which may be the plugin's own.
  func error(_ failure: PluginFailure, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(failure.code, message, at: range, fix: fix)
  }

  func report(_ failure: ExpressionError, at range: SourceRange) {
    add(failure.code, failure.message, at: range, fix: failure.fix)
  }

  func report(_ problem: ExpressionProblem, at range: SourceRange) {
    add(problem.code, problem.message, at: range, fix: problem.fix)
  }

  // Codes as text come in here only, so that everywhere else one is named that is declared.
  private func add(_ code: String, _ message: String, at range: SourceRange, fix: String?) {
    add(forgiven.contains(code) ? .warning : .error, code, message, at: range, fix: fix)
  }

  private func add(
    _ severity: Diagnostic.Severity, _ code: String, _ message: String, at range: SourceRange, fix: String?
  ) {
    let origin = origins[Int(range.origin)]
    guard !origin.isReported, !(lacksIncluded && Self.namesOfIncluded.contains(code)) else { return }
    var range = range
    range.origin = 0
    diagnostics.append(
      Diagnostic(
        severity, otherCode: code, message, file: origin.text.path, range: range, fix: fix, note: origin.note(for: code)
      ))
  }

  /// What is unknown as long as a file is that may declare it.
  private static let namesOfIncluded: Set<String> = [
    DiagnosticCode.unknownTemplate.rawValue, DiagnosticCode.unknownSpecification.rawValue,
  ]

  func warning(_ code: DiagnosticCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(.warning, code.rawValue, message, at: range, fix: fix)
  }

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// The place of a stretch of a scalar's text, both counted in Unicode scalars.
  func range(in node: YAMLNode, offset: Int, length: Int) -> SourceRange {
    let count = node.text.map { $0.unicodeScalars.count } ?? 0
    let text = origins[Int(node.origin)].text
    var range: SourceRange
    if offset < count || count == 0 {
      range = text.range(from: offset, length: length, in: node)
    } else {
      // What is missing at the end of a text is pointed at behind its last character.
      let last = text.range(from: count - 1, length: 1, in: node).end
      range = SourceRange(start: last, end: SourceMark(line: last.line, column: last.column + 1))
    }
    range.origin = node.origin
    return range
  }

  /// Where something is that a host is asked for; nil where what is wrong with it has been reported where it is declared.
  func hostPlace(of range: SourceRange) -> HostUse.Place? {
    let origin = origins[Int(range.origin)]
    guard !origin.isReported else { return nil }
    var range = range
    range.origin = 0
    return HostUse.Place(file: origin.text.path, range: range)
  }

  /// `did you mean 'x'?` for the candidate nearest to `name`.
  func suggestion(for name: String, among candidates: some Sequence<String>) -> String? {
    NearestName.suggestion(for: name, among: Array(candidates)).map { "did you mean '\($0)'?" }
  }

  /// Whether `node` has no key `key`, and none that is probably meant for it: that one is reported by itself.
  func isMissing(_ key: String, in node: YAMLNode) -> Bool {
    node[key] == nil
      && node.entries?.contains { NearestName.suggestion(for: $0.name, among: [key]) != nil } != true
  }

  // MARK: - Mappings

  /// Calls `body` with each entry of the mapping `node` whose key is in `table`, and reports every other entry.
  ///
  /// `what` names the value in messages, such as `'retry'`; keys that `isIgnored` knows are the author's own.
  func readKeys<Key>(
    of node: YAMLNode, _ table: KeyTable<Key>, what: String? = nil, except isIgnored: (String) -> Bool = { _ in false },
    _ body: (Key, KeyRow, YAMLEntry) -> Void
  ) {
    guard let entries = node.entries else {
      return wrongForm(node, what ?? table.owner, needs: "a mapping")
    }
    for entry in entries {
      let name = entry.name
      guard let place = table.place(of: name) else {
        if isIgnored(name) { continue }
        let keys = table.availableKeys
        error(
          .unknownKey, "\(table.owner) has no key '\(name)'", at: entry.key.range,
          fix: FamiliarKeys.own(for: name, among: keys).map { "did you mean '\($0)'?" }
            ?? suggestion(for: name, among: keys) ?? FamiliarKeys.advice(for: name))
        continue
      }
      guard place.row.isAvailable else {
        if let elsewhere = place.row.elsewhere {
          error(.misplacedKey, "'\(name)' \(elsewhere.message)", at: entry.key.range, fix: elsewhere.fix)
        } else {
          error(.notAvailable, "'\(name)' is not available in this version", at: entry.key.range)
        }
        continue
      }
      body(place.key, place.row, entry)
    }
  }

  /// Reports that `node` does not have the form that `what` needs, unless the node is known to be faulty.
  func wrongForm(_ node: YAMLNode, _ what: String, needs form: String, fix: String? = nil) {
    guard !node.isFaulty else { return }
    let found =
      switch node.content {
      case .mapping: "a mapping"
      case .sequence(let items): items.isEmpty ? "an empty list" : "a list"
      case .scalar(let text, let style):
        text.isEmpty && style == .plain ? "nothing" : "'\(text.count > 40 ? text.prefix(37) + "…" : text[...])'"
      }
    error(.wrongForm, "\(what) needs \(form), found \(found)", at: node.range, fix: fix)
  }

  /// Whether `node` is a scalar that means null: `~`, `null`, or nothing at all.
  func isNull(_ node: YAMLNode) -> Bool {
    guard case .scalar(let text, .plain) = node.content else { return false }
    switch text {
    case "", "~", "null", "Null", "NULL": return node.tag == nil
    default: return false
    }
  }
}

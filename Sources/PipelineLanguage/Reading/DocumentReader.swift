import Expressions
import PluginHost
import Values

/// Reads a pipeline file: converts nodes to values and collects findings.
///
/// Its methods are distributed over one file for each part of the language. Each method reports what it cannot read and continues, so that one pass
/// finds everything. Used by one thread, for one file.
package final class DocumentReader {
  let source: SourceText
  /// The directory from which relative paths in the file start.
  var directory = "."
  /// The texts that nodes may come from, the file itself first; ``SourceRange/origin`` is an index into it.
  var origins: [NodeOrigin]
  /// Whether operations were expanded with their templates, as far as possible.
  var hasTemplates = false
  /// Whether an included file cannot be read, so that unknown names may be declared there.
  var lacksIncluded = false
  private(set) var diagnostics: [Diagnostic] = []
  /// The specifications available to conditions, with their positions.
  var specifications: [String: Int] = [:]
  /// Every condition that could be read, in reading order.
  var formulas: [SpecificationSite] = []
  /// Every use of a plugin outside operations, in reading order.
  var pluginUses: [PluginUseDraft] = []

  /// The shape of each operation by name, if requested.
  private(set) var shapes: [String: OperationShape] = [:]
  /// Whether ``shapes`` are collected.
  let notesShapes: Bool

  /// The codes of errors that are reported as warnings.
  private let forgiven: Set<String>
  /// Whether the text comes from an earlier run.
  var isRecorded: Bool { !forgiven.isEmpty }
  /// The source of files of params and variables.
  let settings: SettingFiles
  /// What was read from these files.
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

  /// Returns a reader for a part of the same file, with the same knowledge of the file and no findings yet.
  func sibling() -> DocumentReader {
    let sibling = DocumentReader(source: source, forgiven: forgiven, notesShapes: notesShapes, settings: settings)
    sibling.specifications = specifications
    sibling.directory = directory
    sibling.origins = origins
    sibling.hasTemplates = hasTemplates
    sibling.lacksIncluded = lacksIncluded
    return sibling
  }

  /// Adds the findings of a sibling.
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

  /// Reports an error with a code of a lower module.
  func error(_ code: some FindingCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(code.rawValue, message, at: range, fix: fix)
  }

  /// Reports an error with the code of a plugin's failure, which may be specific to the plugin.
  func error(_ failure: PluginFailure, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(failure.code, message, at: range, fix: fix)
  }

  func report(_ failure: ExpressionError, at range: SourceRange) {
    add(failure.code, failure.message, at: range, fix: failure.fix)
  }

  func report(_ problem: ExpressionProblem, at range: SourceRange) {
    add(problem.code, problem.message, at: range, fix: problem.fix)
  }

  // The only place that takes a code as text, so that all other code uses declared codes.
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

  /// The errors that are suppressed if an included file is missing, because it may declare the name.
  private static let namesOfIncluded: Set<String> = [
    DiagnosticCode.unknownTemplate.rawValue, DiagnosticCode.unknownSpecification.rawValue,
  ]

  func warning(_ code: DiagnosticCode, _ message: String, at range: SourceRange, fix: String? = nil) {
    add(.warning, code.rawValue, message, at: range, fix: fix)
  }

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Returns the range of a part of a scalar's text, given in Unicode scalars.
  func range(in node: YAMLNode, offset: Int, length: Int) -> SourceRange {
    let count = node.text.map { $0.unicodeScalars.count } ?? 0
    let text = origins[Int(node.origin)].text
    var range: SourceRange
    if offset < count || count == 0 {
      range = text.range(from: offset, length: length, in: node)
    } else {
      // What is missing at the end of a text is reported after its last character.
      let last = text.range(from: count - 1, length: 1, in: node).end
      range = SourceRange(start: last, end: SourceMark(line: last.line, column: last.column + 1))
    }
    range.origin = node.origin
    return range
  }

  /// Returns the place of a requirement on the host; nil if errors there have already been reported at its declaration.
  func hostPlace(of range: SourceRange) -> HostUse.Place? {
    let origin = origins[Int(range.origin)]
    guard !origin.isReported else { return nil }
    var range = range
    range.origin = 0
    return HostUse.Place(file: origin.text.path, range: range)
  }

  /// Returns `did you mean 'x'?` for the candidate nearest to `name`.
  func suggestion(for name: String, among candidates: some Sequence<String>) -> String? {
    NearestName.suggestion(for: name, among: Array(candidates)).map { "did you mean '\($0)'?" }
  }

  /// Returns whether `node` lacks `key`, and also lacks a misspelling of it, which is reported separately.
  func isMissing(_ key: String, in node: YAMLNode) -> Bool {
    node[key] == nil
      && node.entries?.contains { NearestName.suggestion(for: $0.name, among: [key]) != nil } != true
  }

  // MARK: - Mappings

  /// Calls `body` with each entry of the mapping `node` whose key is in `table`, and reports every other entry.
  ///
  /// `what` names the value in messages, such as `'retry'`; keys for which `isIgnored` returns true are the author's own.
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
            ?? suggestion(for: name, among: keys) ?? FamiliarKeys.advice(for: name, among: keys))
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

  /// Reports that `node` does not have the form that `what` needs, unless the node is already known to be faulty.
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

  /// Returns whether `node` is a scalar that means null: `~`, `null`, or nothing.
  func isNull(_ node: YAMLNode) -> Bool {
    guard case .scalar(let text, .plain) = node.content else { return false }
    switch text {
    case "", "~", "null", "Null", "NULL": return node.tag == nil
    default: return false
    }
  }
}

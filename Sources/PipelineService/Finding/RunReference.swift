import Expressions
import OperatingSystem
import PipelineLanguage
import RunHistory
import Values

/// Resolves a user's reference to a run (an id, a prefix of one, or `last`) or to an operation (a path).
package struct RunReference {
  package let history: History

  package init(history: History) { self.history = history }

  /// Returns the run that `text` names: an id, a prefix of one, or `last`.
  ///
  /// - Throws: ``RunReferenceError``, or `WorkspaceError`.
  package func find(_ text: String) throws -> RunRecord {
    switch try history.resolve(text) {
    case .found(let id):
      if let record = try history.run(id) { return record }
      throw unknown(text)
    case .none: throw unknown(text)
    case .ambiguous(let ids): throw RunReferenceError.ambiguous(text, ids.compactMap(candidate))
    }
  }

  /// Returns the run that `text` names, where a pipeline's name would also be allowed but did not match.
  ///
  /// - Throws: ``RunReferenceError``, or `WorkspaceError`.
  package func findWhereNoPipeline(_ text: String) throws -> RunRecord {
    do {
      return try find(text)
    } catch RunReferenceError.unknownRun(_, let workspace, let nearest) {
      if case .pipeline = nearest { throw RunReferenceError.unknownRun(text, workspace: workspace, nearest: nearest) }
      let near = NearestName.suggestion(for: text, among: try history.knownPipelineNames())
      if near == nil { try history.requireReady(for: text) }
      throw RunReferenceError.unknownRunOrPipeline(text, workspace: workspace, near: near, nearest: nearest)
    }
  }

  /// Who cancelled a run, as far as that is recorded.
  package func canceller(_ run: RunID) -> RunCanceller? { (try? history.run(run))?.canceller }

  /// The id as it is shown.
  package func short(_ id: RunID) -> String {
    (try? history.shortForm(of: id)) ?? id.short
  }

  /// Returns the record of the operation instance that `name` means in a run: an operation, or an item by its number or label.
  ///
  /// - Throws: ``RunReferenceError``, or `WorkspaceError`.
  package func operation(_ name: String, in run: RunRecord) throws -> OperationRecord {
    let operations = try history.operations(of: run.id)
    let meant = InstanceName(text: name).meant(in: operations)
    if meant.count > 1 { throw RunReferenceError.ambiguousItem(name, of: candidate(run), meant.map(title)) }
    if let operation = meant.first { return operation }
    if let source = loop(name, operations)?.reusedFrom,
      !operations.contains(where: { $0.parent == loop(name, operations)?.ordinal })
    {
      throw RunReferenceError.reusedItem(name, of: candidate(run), source: short(source))
    }
    throw RunReferenceError.unknownOperation(
      name, of: candidate(run), near: near(name, operations), names: listed(name, operations))
  }

  /// Returns the run that contains the operation at the end of `path`, starting from `run`, and the operation's name in the path: `deploy/build` is
  /// `build` in the latest run that `deploy` has started.
  ///
  /// - Throws: ``RunReferenceError``, or `WorkspaceError`.
  package func end(of path: String, from run: RunRecord) throws -> (run: RunRecord, operation: String) {
    var run = run
    var names = OperationName.path(path)
    guard let last = names.popLast(), !names.isEmpty else { return (run, path) }
    for name in names {
      let record = try self.operation(name, in: run)
      let operation = record.name
      let started = try history.startedRuns(of: run.id)
      guard let nested = started.last(where: { $0.operation == operation }), let next = try history.run(nested.id)
      else {
        let item = started.map(\.operation).last { $0.hasPrefix(operation + "[") }
        throw RunReferenceError.noNestedRun(
          operation: operation, of: candidate(run), item: item, source: record.reusedFrom.map(short))
      }
      run = next
    }
    return (run, last)
  }

  /// Returns the name that was probably meant; an item is shown with its label.
  private func near(_ name: String, _ operations: [OperationRecord]) -> String? {
    let labelled = operations.compactMap { record in
      record.label.flatMap { label in
        OperationName.item(record.name).map { (name: "\($0.loop)[\(label)]", title: title(record)) }
      }
    }
    guard let near = NearestName.suggestion(for: name, among: operations.map(\.name) + labelled.map(\.name)) else {
      return nil
    }
    return operations.contains { $0.name == near } ? near : labelled.first { $0.name == near }?.title
  }

  /// Returns the available names: the items of the named loop, or else everything that is not an item.
  private func listed(_ name: String, _ operations: [OperationRecord]) -> [String] {
    let loop = loop(name, operations)
    let items = operations.filter { $0.parent != nil && $0.parent == loop?.ordinal }
    return (items.isEmpty ? operations.filter { $0.parent == nil } : items).map(title)
  }

  /// Returns the loop whose item `name` refers to.
  private func loop(_ name: String, _ operations: [OperationRecord]) -> OperationRecord? {
    OperationName.item(name).flatMap { asked in
      operations.first { $0.parent == nil && OperationName.areSame($0.name, asked.loop) }
    }
  }

  private func title(_ record: OperationRecord) -> String { TerminalText.name(record.name, label: record.label) }

  private func candidate(_ run: RunRecord) -> RunReferenceError.Candidate {
    RunReferenceError.Candidate(short: short(run.id), run: run)
  }

  private func candidate(_ id: RunID) -> RunReferenceError.Candidate? {
    (try? history.run(id)).flatMap(\.self).map(candidate)
  }

  private func unknown(_ text: String) -> RunReferenceError {
    let recent = (try? history.runs(RunFilter(limit: 1000))) ?? []
    return .unknownRun(text, workspace: history.workspace.directory, nearest: nearest(to: text, among: recent))
  }

  private func nearest(to text: String, among recent: [RunRecord]) -> RunReferenceError.Nearest {
    guard let latest = recent.first else { return .nothing }
    let path = PathText.absolute(text)
    if let named = recent.first(where: { $0.pipeline == text || $0.path == path }) {
      return .pipeline(latest: candidate(named))
    }
    // A mistyped id is compared with prefixes of the same length.
    let length = text.count
    let beginnings = recent.map { String($0.id.text.prefix(length)) }
    let near = length >= 4 ? NearestName.suggestion(for: text.lowercased(), among: beginnings) : nil
    if let near, let record = recent.first(where: { $0.id.text.hasPrefix(near) }) { return .run(candidate(record)) }
    return .unlike(latest: candidate(latest))
  }
}

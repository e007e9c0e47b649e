import Expressions
import RunHistory
import Values

/// Which run, and which operation of it, a word means: an id, its beginning, `last`, a path of operations.
package struct RunReference {
  package let history: History

  package init(history: History) { self.history = history }

  /// The record of the run that `text` names: an id, its beginning, or `last`.
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

  /// The id as it is shown.
  package func short(_ id: RunID) -> String {
    (try? history.shortForm(of: id)) ?? id.short
  }

  /// The record of the operation instance that `name` means in a run.
  ///
  /// - Throws: ``RunReferenceError``, or `WorkspaceError`.
  package func operation(_ name: String, in run: RunRecord) throws -> OperationRecord {
    let operations = try history.operations(of: run.id)
    let names = operations.map(\.name)
    let known = OperationName.find(name, among: names)
    if let operation = operations.first(where: { $0.name == known }) { return operation }
    throw RunReferenceError.unknownOperation(
      name, of: candidate(run), near: NearestName.suggestion(for: name, among: names), names: names)
  }

  /// The run that the operation is in which `path` leads to from `run`, and that operation as it is named in the path: `deploy/build` is `build` of the
  /// latest run that `deploy` has started.
  ///
  /// - Throws: ``RunReferenceError``, or `WorkspaceError`.
  package func end(of path: String, from run: RunRecord) throws -> (run: RunRecord, operation: String) {
    var run = run
    var names = OperationName.path(path)
    guard let last = names.popLast(), !names.isEmpty else { return (run, path) }
    for name in names {
      let operation = try operation(name, in: run).name
      let started = try history.startedRuns(of: run.id)
      guard let nested = started.last(where: { $0.operation == operation }), let record = try history.run(nested.id)
      else {
        let item = started.map(\.operation).last { $0.hasPrefix(operation + "[") }
        throw RunReferenceError.noNestedRun(operation: operation, of: candidate(run), item: item)
      }
      run = record
    }
    return (run, last)
  }

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
    if let named = recent.first(where: { $0.pipeline == text }) { return .pipeline(latest: candidate(named)) }
    // A mistyped id is compared with beginnings of its own length.
    let length = text.count
    let beginnings = recent.map { String($0.id.text.prefix(length)) }
    let near = length >= 4 ? NearestName.suggestion(for: text.lowercased(), among: beginnings) : nil
    if let near, let record = recent.first(where: { $0.id.text.hasPrefix(near) }) { return .run(candidate(record)) }
    return .unlike(latest: candidate(latest))
  }
}

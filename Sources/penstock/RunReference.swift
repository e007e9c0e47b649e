import Expressions
import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Finds the run that a person means.
struct RunReference {
  let history: History

  /// The record of the run that `text` names: an id, its beginning, or `last`.
  func find(_ text: String) throws -> RunRecord {
    switch try history.resolve(text) {
    case .found(let id):
      if let record = try history.run(id) { return record }
      throw unknown(text)
    case .none: throw unknown(text)
    case .ambiguous(let candidates): throw ambiguous(text, candidates)
    }
  }

  /// The id as it is shown.
  func short(_ id: RunID) -> String {
    (try? history.shortForm(of: id)) ?? id.short
  }

  /// The record of the operation instance that `name` means in a run.
  func operation(_ name: String, in run: RunRecord) throws -> OperationRecord {
    let operations = try history.operations(of: run.id)
    let names = operations.map(\.name)
    let known = OperationName.find(name, among: names)
    if let operation = operations.first(where: { $0.name == known }) { return operation }
    let near = NearestName.suggestion(for: name, among: names).map { ", did you mean '\($0)'?" }
    let listed = names.prefix(12).joined(separator: ", ") + (names.count > 12 ? ", …" : "")
    throw CommandFailure(
      "run \(short(run.id)) of \(run.pipeline) has no operation '\(name)'"
        + (near ?? (names.isEmpty ? "; none was recorded" : "; it has \(listed)")))
  }

  /// The run that the operation is in which `path` leads to from `run`, and that operation as it is named in the path: `deploy/build` is `build` of the
  /// latest run that `deploy` has started.
  func end(of path: String, from run: RunRecord) throws -> (run: RunRecord, operation: String) {
    var run = run
    var names = OperationName.path(path)
    guard let last = names.popLast(), !names.isEmpty else { return (run, path) }
    for name in names {
      let operation = try operation(name, in: run).name
      guard let nested = try history.startedRuns(of: run.id).last(where: { $0.operation == operation }),
        let record = try history.run(nested.id)
      else {
        let shown = TerminalText.visible(operation)
        let items = try history.startedRuns(of: run.id).map(\.operation).filter { $0.hasPrefix(operation + "[") }
        let hint = items.last.map { "; its items have: name one, as in '\(TerminalText.visible($0))'" } ?? ""
        throw CommandFailure("'\(shown)' of run \(short(run.id)) has started no run\(hint)")
      }
      run = record
    }
    return (run, last)
  }

  private func ambiguous(_ text: String, _ candidates: [RunID]) -> CommandFailure {
    var lines = "'\(text)' is the beginning of several runs:"
    for candidate in candidates {
      guard let record = try? history.run(candidate) else { continue }
      lines +=
        "\n  \(short(candidate))  \(TerminalText.visible(record.pipeline))  \(record.state.rawValue), "
        + ClockText.dateAndTime(record.createdAt)
    }
    return CommandFailure(lines + "\ngive more of the id")
  }

  private func unknown(_ text: String) -> CommandFailure {
    let shown = TerminalText.visible(text)
    let recent = (try? history.runs(RunFilter(limit: 1000))) ?? []
    guard let latest = recent.first else {
      return CommandFailure(
        "there is no run '\(shown)': nothing has run in the workspace '\(history.workspace.directory)' yet")
    }
    if let named = recent.first(where: { $0.pipeline == text }) {
      return CommandFailure(
        "'\(shown)' is a pipeline, not a run; its latest run is \(short(named.id)) (\(named.state.rawValue))")
    }
    // A mistyped id is compared with beginnings of its own length.
    let length = text.count
    let beginnings = recent.map { String($0.id.text.prefix(length)) }
    let near = length >= 4 ? NearestName.suggestion(for: text.lowercased(), among: beginnings) : nil
    if let near, let record = recent.first(where: { $0.id.text.hasPrefix(near) }) {
      return CommandFailure(
        "there is no run '\(shown)'; did you mean \(short(record.id)) (\(record.pipeline), \(record.state.rawValue))?")
    }
    return CommandFailure(
      "there is no run '\(shown)' in '\(history.workspace.directory)'; the latest is \(short(latest.id)) (\(latest.pipeline)). `penstock history list` shows more"
    )
  }
}

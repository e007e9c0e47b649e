import SQLite
import Workspace

/// The outcome of looking up a run by the beginning of its id.
public enum RunResolution: Sendable, Hashable {
  /// Exactly one run matches.
  case found(RunID)
  /// No run matches.
  case none
  /// Several runs match: the latest ones, at most twenty.
  case ambiguous([RunID])
}

/// What a command without a run id is about to do, which determines the run that it chooses.
public enum RunPurpose: Sendable, Hashable {
  /// `resume`: the latest interrupted run.
  case resume
  /// `retry`: the latest run that failed or was interrupted, and has not been repaired since.
  case retry
}

extension History {
  /// Returns the runs that match a filter.
  public func runs(_ filter: RunFilter = RunFilter()) throws(WorkspaceError) -> [RunRecord] {
    try read { try RunListing(filter: filter).runs(in: $0) }
  }

  /// Returns one run, or nil if there is none with the id.
  public func run(_ id: RunID) throws(WorkspaceError) -> RunRecord? {
    try read { db in try RunRows.find(id, in: db).map { try RunRows.presented($0, in: db) } }
  }

  /// Returns the operation instances of a run, by ordinal.
  public func operations(of run: RunID) throws(WorkspaceError) -> [OperationRecord] {
    try read { db in try RunRows.find(run, in: db).map { try OperationRows.operations(of: $0, in: db) } ?? [] }
  }

  /// Returns the attempts of a run, by operation and number; only those of one operation instance if `ordinal` is given.
  public func attempts(of run: RunID, ordinal: Int? = nil) throws(WorkspaceError) -> [AttemptRecord] {
    try read { db in
      try RunRows.find(run, in: db).map { try OperationRows.attempts(of: $0, ordinal: ordinal, in: db) } ?? []
    }
  }

  /// Returns the processes of a run's attempts, by their ids and start times, as far as these are recorded.
  package func recordedProcesses(of run: RunID) throws(WorkspaceError) -> [RecordedProcess] {
    try read { db in
      guard let number = try RunRows.number(of: run, in: db) else { return [] }
      return try db.fetch(for: StoredAttempt.self)
        .select(
          StoredAttempt.pid, StoredAttempt.pidStarted,
          where: StoredAttempt.of(number) && !StoredAttempt.pid.isNil()
        ).compactMap { pid, started in pid.map { RecordedProcess(pid: $0.asProcess, started: started) } }
    }
  }

  /// Returns the text of the definition that a run was started with.
  public func definition(of run: RunID) throws(WorkspaceError) -> String? {
    try read { db in
      try db.fetch(for: StoredRun.self).select(StoredRun.definitionHash, where: StoredRun.id == run.text).first
        .flatMap { $0 }.flatMap { try StoredDefinition.text(of: $0, in: db) }
    }
  }

  /// The words for the latest run. Neither can be the beginning of an id, because the alphabet has no l.
  package static let latestRunWords: Set<String> = ["last", "latest"]

  /// Returns the run that a text refers to: an id, its beginning, or `last` or `latest`.
  public func resolve(_ text: String) throws(WorkspaceError) -> RunResolution {
    if Self.latestRunWords.contains(text) {
      return try runs(RunFilter(limit: 1)).first.map { .found($0.id) } ?? .none
    }
    guard let prefix = RunID.prefix(text) else { return .none }
    let ids: [String] = try read { db in
      try db.fetch(for: StoredRun.self)
        .select(StoredRun.id, where: StoredRun.id.hasPrefix(prefix), limit: 20, orderBy: [StoredRun.id.descending])
    }
    let found = ids.compactMap { RunID($0) }
    switch found.count {
    case 0: return .none
    case 1: return .found(found[0])
    default: return .ambiguous(found)
    }
  }

  /// Returns the id, shortened to eight characters, or as many more as distinguish it from every other run.
  public func shortForm(of run: RunID) throws(WorkspaceError) -> String {
    let text = run.text
    // The ids with the longest common prefix are adjacent in their order.
    let neighbours = try read { db in
      let runs = db.fetch(for: StoredRun.self)
      return [
        try runs.maximum(StoredRun.id, where: StoredRun.id < text),
        try runs.minimum(StoredRun.id, where: StoredRun.id > text),
      ]
    }
    let shared = neighbours.compactMap(\.self).map { zip($0, text).prefix { $0 == $1 }.count }.max() ?? 0
    return String(text.prefix(max(8, shared + 1)))
  }
}

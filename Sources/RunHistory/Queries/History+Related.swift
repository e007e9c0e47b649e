import SQLite
import Workspace

/// Runs that stand in a relation to another run.
extension History {
  /// The oldest run of a pipeline that is going on, other than `run`.
  package func activeRun(of pipeline: String, except run: RunID) throws(WorkspaceError) -> RunID? {
    let others = try runs(RunFilter(pipeline: pipeline, states: [.running], includesNested: true, order: .oldestFirst))
    return others.first { $0.id != run && $0.owner.isAlive(in: workspace.directory) }?.id
  }

  /// The runs that operations of `parent` started, the oldest first.
  package func nestedRuns(of parent: RunID) throws(WorkspaceError) -> [RunID] {
    try startedRuns(of: parent).map(\.id)
  }

  /// The runs that operations of `parent` have started, the oldest first, each with the operation and when it was created.
  package func startedRuns(
    of parent: RunID
  ) throws(WorkspaceError) -> [(id: RunID, operation: String, createdAt: RecordTime)] {
    try read { db in
      try db.fetch(for: StoredRun.self)
        .select(
          StoredRun.id, StoredRun.parentOperation, StoredRun.createdAt, where: StoredRun.parent == parent.text,
          orderBy: [StoredRun.id.ascending]
        ).compactMap { id, operation, created in
          RunID(id).map { ($0, operation ?? "", RecordTime(microseconds: created)) }
        }
    }
  }

  /// The names of the handlers of a run that failed, in the order of the file.
  package func failedHandlers(of run: RunRecord) throws(WorkspaceError) -> [String] {
    try read { db in
      guard let number = try RunRows.number(of: run.id, in: db) else { return [] }
      let first = InstanceKey(run: number, ordinal: run.counts.operations).value
      var names: [String] = []
      // Handlers come behind the operations and before the items of loops, of which there may be many.
      try db.fetch(for: StoredOperation.self).walk(
        StoredOperation.key.between(first, InstanceKey.range(of: number).last), orderBy: [StoredOperation.key.ascending]
      ) { stored in
        guard stored.parent == nil else { return false }
        if stored.state == OperationState.failed.rawValue { names.append(stored.name) }
        return true
      }
      return names
    }
  }

  /// The latest nested run that an operation of `parent` started.
  package func nestedRun(of parent: RunID, operation: String) throws(WorkspaceError) -> RunRecord? {
    let id = try read { db in
      try db.fetch(for: StoredRun.self)
        .select(
          StoredRun.id, where: StoredRun.parent == parent.text && StoredRun.parentOperation == operation, limit: 1,
          orderBy: [StoredRun.id.descending]
        ).first
    }
    guard let id = id.flatMap({ RunID($0) }) else { return nil }
    return try self.run(id)
  }
}

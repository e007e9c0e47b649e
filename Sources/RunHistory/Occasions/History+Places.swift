import SQLite
import Values
import Workspace

/// A run that holds one of its host's run slots.
package struct PlacedRun: Sendable, Hashable {
  /// The run.
  package var run: RunID
  /// The name of its pipeline.
  package var pipeline: String
  /// The current queue of its pipeline.
  package var queue: String

  package init(run: RunID, pipeline: String, queue: String) {
    self.run = run
    self.pipeline = pipeline
    self.queue = queue
  }
}

/// An active run of a process in which no operation is active.
package struct RunWithoutWork: Sendable, Hashable {
  /// The run.
  package var run: RunID
  /// The outermost run in which it is nested, which a user or a trigger started; the run itself if it is not nested.
  package var root: RunID
  /// The path from there to its operations: `deploy/`, or empty.
  package var path: String
}

/// An operation that a process runs, as far as recorded.
package struct OperationAtWork: Sendable, Hashable {
  /// The run that it belongs to.
  package var run: RunID
  /// Its name, with the index of an item of a loop.
  package var operation: String
}

/// The holders of what queued runs wait for.
extension History {
  /// Returns the runs that hold run slots of the host in a process, the oldest first, as far as recorded.
  ///
  /// A run in which everything waits, and not for a slot, has released its run slot and is not included; nested runs share the slot of the run that
  /// started them.
  package func placedRuns(of owner: ProcessIdentity) throws(WorkspaceError) -> [PlacedRun] {
    try read { db in
      let table = try OpenRuns(of: owner, in: db)
      return try table.runs.filter { $0.parent == nil }.filter { try !table.isResting($0, in: db) }
        .map { PlacedRun(run: $0.id, pipeline: $0.pipeline, queue: $0.queue) }
    }
  }

  /// Returns the active operations of all runs of a process, as far as recorded, those of the oldest run first. Loops, and operations that have started
  /// a nested run, are not included themselves, but what they consist of is.
  package func operationsAtWork(of owner: ProcessIdentity) throws(WorkspaceError) -> [OperationAtWork] {
    try read { db in try OpenRuns(of: owner, in: db).atWork }
  }

  /// Returns the active runs of a process in which no operation is active, nor in the runs nested in them or around them; the oldest first, as far as recorded.
  package func runsWithoutWork(of owner: ProcessIdentity) throws(WorkspaceError) -> [RunWithoutWork] {
    try read { db in try OpenRuns(of: owner, in: db).withoutWork }
  }

  /// Returns the lease of the turn of a pipeline that allows one active run at a time, or nil if no living process holds it.
  package func turn(of pipeline: String) throws(WorkspaceError) -> Lease? {
    try read { db in try Leases.liveTurn(of: pipeline, in: db) }
  }
}

extension History {
  /// Returns the holder of an exclusive name, in words: `operation 'copy' of run 03kx9fab`. Nil if no living process holds it.
  package func holder(ofExclusive name: String) throws(WorkspaceError) -> String? {
    guard let lease = try lease(ofExclusive: name) else { return nil }
    guard let run = LeaseHolder(lease.holder)?.run else { return lease.holder }
    return lease.holder.replacing(run.text, with: try shortForm(of: run))
  }

  /// Returns the lease of an exclusive name, or nil if no living process holds it.
  package func lease(ofExclusive name: String) throws(WorkspaceError) -> Lease? {
    try read { db in try Leases.current("exclusive:\(name)", in: db).flatMap { $0.owner.isAlive(in: db) ? $0 : nil } }
  }
}

extension Leases {
  /// Returns the lease of a pipeline's `overlap` lock, or nil if no living process holds it.
  static func liveTurn(of pipeline: String, in db: Database) throws -> Lease? {
    try current(RunRecord.turn(of: pipeline), in: db).flatMap { $0.owner.isAlive(in: db) ? $0 : nil }
  }
}

/// The active runs of a process, with the state of their operations.
private struct OpenRuns {
  struct Run {
    var number: Int64
    var id: RunID
    var pipeline: String
    var queue: String
    var hasBegun: Bool
    /// The id of the run that started it, and the name of the operation.
    var parent: Child?
    var operations: [Operation] = []
  }

  struct Child: Hashable {
    var run: String
    var operation: String
  }

  struct Operation {
    var ordinal: Int64
    var parent: Int64?
    var name: String
    var state: OperationState?
    var reason: String?
    /// Whether it is a loop that has begun.
    var isLoop: Bool
  }

  private(set) var runs: [Run] = []
  private var children: [Child: Int] = [:]

  init(of owner: ProcessIdentity, in db: Database) throws {
    runs = try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT r.number, r.id, r.pipeline, ifnull(p.queue, ?), r.state = 'running', r.parent, r.parent_operation
          FROM run_record r LEFT JOIN pipeline_record p ON p.name = r.pipeline
          WHERE r.state IN ('queued', 'running') AND r.boot = ? AND r.pid = ? AND r.process_started = ?
          ORDER BY r.number
          """), arguments: [QueuedRun.defaultQueue, owner.boot, owner.pid, owner.started]
    ).compactMap { row in
      guard let id = RunID(row[1] as String) else { return nil }
      let parent = (row[5] as String?).map { Child(run: $0, operation: (row[6] as String?) ?? "") }
      return Run(number: row[0], id: id, pipeline: row[2], queue: row[3], hasBegun: row[4], parent: parent)
    }
    for index in runs.indices {
      if let parent = runs[index].parent { children[parent] = index }
      runs[index].operations = try Row.fetchAll(
        db.cachedStatement(
          sql: """
            SELECT key & 4294967295, parent, name, state, reason, detail FROM operation_record
            WHERE key BETWEEN ?1 << 32 AND ?1 << 32 | 4294967295 AND state IN ('running', 'waiting', 'retrying')
            """), arguments: [runs[index].number]
      ).map { row in
        let detail = (row[5] as String?).flatMap { try? JSONValue.parse($0) }
        return Operation(
          ordinal: row[0], parent: row[1], name: row[2], state: OperationState(rawValue: row[3]), reason: row[4],
          isLoop: detail?[DetailKey.items] != nil)
      }
    }
  }

  /// The active operations.
  var atWork: [OperationAtWork] {
    runs.flatMap { run in atWork(in: run).map { .init(run: run.id, operation: $0.name) } }
  }

  /// The active operations of a run: for a loop, its items; for an operation that has started a run, the operations of that run.
  private func atWork(in run: Run) -> [Operation] {
    let loops = Set(run.operations.compactMap(\.parent))
    return run.operations.filter {
      $0.state == .running && !$0.isLoop && !loops.contains($0.ordinal)
        && children[Child(run: run.id.text, operation: $0.name)] == nil
    }
  }

  /// The runs in which no operation is active, nor in the runs nested in them or around them.
  var withoutWork: [RunWithoutWork] {
    let indices = Dictionary(runs.indices.map { (runs[$0].id.text, $0) }) { first, _ in first }
    var found: [RunWithoutWork] = []
    var busy: Set<RunID> = []
    for run in runs where run.hasBegun {
      var (root, path) = (run, "")
      while let parent = root.parent, let outer = indices[parent.run] {
        path = "\(parent.operation)/\(path)"
        root = runs[outer]
      }
      if atWork(in: run).isEmpty {
        found.append(.init(run: run.id, root: root.id, path: path))
      } else {
        busy.insert(root.id)
      }
    }
    return found.filter { !busy.contains($0.root) }
  }

  /// Whether everything in the run waits, and not for a slot, as `Run.isResting` of the engine decides it.
  func isResting(_ run: Run, in db: Database) throws -> Bool {
    guard run.hasBegun else { return try Leases.liveTurn(of: run.pipeline, in: db) != nil }
    let loops = Set(run.operations.compactMap(\.parent))
    var isWaiting = false
    for operation in run.operations where !loops.contains(operation.ordinal) {
      if operation.state == .running {
        guard let child = children[Child(run: run.id.text, operation: operation.name)],
          try isResting(runs[child], in: db)
        else { return false }
      } else if operation.reason == OperationReason.Code.concurrency.rawValue {
        return false
      }
      isWaiting = true
    }
    return isWaiting
  }
}

import SQLite
import Workspace

/// Writes the records of runs: the one writer of a host's history, for all its runs.
///
/// ``record(_:)`` is what the engine calls on its hot path; it takes the change and returns. Changes become durable in order,
/// in groups; ``flush()`` waits for that. See ``OrderedWriter`` for what happens when the disk is full.
///
/// A recorder that holds what it cannot write refuses a run whose records no longer fit: nothing of it is recorded any more, so that what is recorded of it is
/// what was true at one moment.
public final class HistoryRecorder: Sendable {
  /// The workspace that is written to.
  public let workspace: OpenWorkspace
  private let writer: OrderedWriter<HistoryChange>
  let statements: HistoryStatements
  private let refused: RefusedRuns

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - workspace: It must stay open until the recorder is closed.
  ///   - delay: How long a commit waits for company. Default 2 ms.
  ///   - heldBytes: How many bytes of records are held while they cannot be written. Default nil: none, and whoever waits for them is told of the failure.
  ///   - onRefusal: Told of a run whose records no longer fit. It must not call the recorder. [the thread that records]
  ///   - onLoss: Told of a run that another process has taken from this one, of which nothing is recorded any more. [the writer's thread]
  ///   - onFailure: Told of the first failure after a success. [the writer's thread]
  public init(
    workspace: OpenWorkspace, delay: Duration = .milliseconds(2), heldBytes: Int? = nil,
    onRefusal: @escaping @Sendable (RunID) -> Void = { _ in },
    onLoss: @escaping @Sendable (RunID) -> Void = { _ in },
    onFailure: @escaping @Sendable (WorkspaceError) -> Void = { _ in }
  ) {
    self.workspace = workspace
    let statements = HistoryStatements(onLoss: onLoss)
    self.statements = statements
    let refused = RefusedRuns()
    self.refused = refused
    writer = OrderedWriter(
      workspace: workspace, delay: delay, prepare: { try HistoryStatements.prepare($0) },
      apply: { try statements.apply($1, to: $0) }, changing: { statements.types(of: $0) },
      hold: heldBytes.map { limit in
        OrderedWriter.Hold(limit: limit, size: { $0.heldSize }) { change in
          if refused.insert(change.run) { onRefusal(change.run) }
        }
      }, onFailure: onFailure)
  }

  /// Starts the recorder's thread ahead of the first change, which then waits for nothing.
  public func begin() { writer.begin() }

  /// Takes a change to be recorded. Any thread. Returns false, having kept nothing, after ``close()``, and of a run that is refused.
  @discardableResult
  public func record(_ change: consuming HistoryChange) -> Bool {
    if !refused.isEmpty, refused.contains(change.run) { return false }
    return writer.append(change)
  }

  /// Returns once everything recorded before is durable against the death of this process.
  public nonisolated(nonsending) func flush() async throws(WorkspaceError) {
    try await writer.flush()
  }

  /// Returns once everything recorded before survives a power loss as well, if the workspace's ``OpenWorkspace/Durability`` wants it: for what somebody is
  /// told next.
  public nonisolated(nonsending) func flushToDisk() async throws(WorkspaceError) {
    try await writer.flushToDisk()
  }

  /// Runs `body` in its own transaction between the changes recorded before and after it. For leases and the like.
  public nonisolated(nonsending) func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T)
    async throws -> T
  {
    try await writer.perform(body)
  }

  /// The same, and says by what `body` has returned of which types it has changed objects; nil where nobody knows.
  package nonisolated(nonsending) func perform<T: Sendable>(
    changing types: @escaping @Sendable (T) -> ChangedTypes?,
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.perform(changing: types, body)
  }

  /// Records nothing more of a run until ``giveUp(_:)``.
  package func refuse(_ run: RunID) { refused.insert(run) }

  /// How much is held because it cannot be written: bytes, and records.
  public var held: (bytes: Int, records: Int) {
    let held = writer.held
    return (held.bytes, held.changes)
  }

  /// From now on nothing is held, and whoever waits for what cannot be written is told of the failure: for a host that ends.
  public func endHolding() { writer.endHolding() }

  /// Tries again to write what a failure has left.
  public nonisolated(nonsending) func retry() async throws(WorkspaceError) {
    try await writer.retry()
  }

  /// Writes what is left, and ends the recorder's thread. It does not close the workspace.
  public nonisolated(nonsending) func close() async throws(WorkspaceError) {
    try await writer.close()
  }

  /// The failure that has stopped the recorder, or nil while all is well.
  public var failure: WorkspaceError? { writer.failure }

  /// How many changes wait to be committed, and how many transactions were committed so far.
  public var progress: (waiting: Int, transactions: Int) { writer.progress }

  /// Makes this process the owner of an interrupted run, which is `running` from then on.
  ///
  /// Of two processes that try, one gets it. Returns the record as it is afterwards, or nil if the run is not there, has
  /// ended by itself, or has an owner that is alive. Where `requester` asks for it, that is recorded with it. Where a person asks for it, by that or by
  /// `isAskedFor`, what was asked before to cancel the run does not count any more.
  public nonisolated(nonsending) func claim(
    _ run: RunID, for requester: Requester? = nil, isAskedFor: Bool = false, at time: RecordTime = .now
  ) async throws -> RunRecord? {
    let statements = statements
    return try await writer.perform { db in
      guard
        let record = try RunOwnership.claim(
          run, owner: .current, isAskedFor: isAskedFor || requester != nil, at: time, in: db),
        let number = try RunRows.number(of: run, in: db)
      else { return nil }
      if let requester { try AuditRows.add(AuditEntry(time: time, by: requester, .resume, run.text), in: db) }
      statements.adopt(record, number: number)
      return record
    }
  }

  /// Makes a run interrupted again that this process has claimed, and of which it executes nothing (any more). One that was taken from the queue and has not begun is
  /// queued again. `isLeft` says that everything in it waits, and its host drains.
  package nonisolated(nonsending) func giveUp(_ run: RunID, isLeft: Bool = false) async throws {
    defer { refused.remove(run) }
    try await writer.perform { db in
      guard let found = try RunRows.find(run, in: db), found.record.owner == .current, !found.record.state.isFinal
      else { return }
      if try QueueEntries.giveBack(found, in: db) { return }
      try RunOwnership.markInterrupted(found, isLeft: isLeft, in: db)
    }
  }
}

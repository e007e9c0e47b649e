import SQLite
import Workspace

/// Writes the records of runs: the single writer of a host's history, for all its runs.
///
/// ``record(_:)`` is called on the engine's hot path; it accepts the change and returns. Changes become durable in order, in groups; ``flush()``
/// waits for that. See `OrderedWriter` for what happens when the disk is full.
///
/// A recorder that holds what it cannot write rejects a run whose records no longer fit: nothing more is recorded of it, so that its records are
/// consistent as of one moment.
public final class HistoryRecorder: Sendable {
  /// The workspace that is written to.
  public let workspace: OpenWorkspace
  private let writer: OrderedWriter<HistoryChange>
  let statements: HistoryStatements
  private let refused: RefusedRuns

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - workspace: The workspace, which must stay open until the recorder is closed.
  ///   - delay: How long a commit waits so that several are combined. Default 2 ms.
  ///   - heldBytes: The maximum size of records held while they cannot be written, in bytes. Default nil: none, and callers that wait for them
  ///     receive the failure.
  ///   - onRefusal: Called with a run whose records no longer fit. It must not call the recorder. [the thread that records]
  ///   - onLoss: Called with a run that another process has claimed from this one, of which nothing more is recorded. [the writer's thread]
  ///   - onFailure: Called with the first failure after a success. [the writer's thread]
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

  /// Starts the recorder's thread in advance, so that the first change does not have to wait.
  public func begin() { writer.begin() }

  /// Accepts a change to be recorded. May be called from any thread. Returns false, without recording it, after ``close()``, and for a rejected run.
  @discardableResult
  public func record(_ change: consuming HistoryChange) -> Bool {
    if !refused.isEmpty, refused.contains(change.run) { return false }
    return writer.append(change)
  }

  /// Waits until everything recorded before survives the death of this process.
  public nonisolated(nonsending) func flush() async throws(WorkspaceError) {
    try await writer.flush()
  }

  /// Waits until everything recorded before also survives a power loss, if the workspace's `Durability` requires it: for what is reported next.
  public nonisolated(nonsending) func flushToDisk() async throws(WorkspaceError) {
    try await writer.flushToDisk()
  }

  /// Runs `body` in its own transaction between the changes recorded before and after it, for example for leases.
  public nonisolated(nonsending) func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T)
    async throws -> T
  {
    try await writer.perform(body)
  }

  /// Runs `body` in its own transaction. `types` returns the types whose objects it has changed, given its result; nil if unknown.
  package nonisolated(nonsending) func perform<T: Sendable>(
    changing types: @escaping @Sendable (T) -> ChangedTypes?,
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await writer.perform(changing: types, body)
  }

  /// Records nothing more of a run until ``giveUp(_:)``.
  package func refuse(_ run: RunID) { refused.insert(run) }

  /// The size and number of records held because they cannot be written.
  public var held: (bytes: Int, records: Int) {
    let held = writer.held
    return (held.bytes, held.changes)
  }

  /// Stops holding records, for a host that ends: callers that wait for what cannot be written receive the failure.
  public func endHolding() { writer.endHolding() }

  /// Retries writing what a failure has left.
  public nonisolated(nonsending) func retry() async throws(WorkspaceError) {
    try await writer.retry()
  }

  /// Writes what is left, and ends the recorder's thread. Does not close the workspace.
  public nonisolated(nonsending) func close() async throws(WorkspaceError) {
    try await writer.close()
  }

  /// The failure that has stopped the recorder, or nil if there is none.
  public var failure: WorkspaceError? { writer.failure }

  /// How many changes wait to be committed, and how many transactions have been committed.
  public var progress: (waiting: Int, transactions: Int) { writer.progress }

  /// Makes this process the owner of an interrupted run, which then becomes `running`.
  ///
  /// If two processes try, only one succeeds. Returns the updated record, or nil if the run does not exist, has ended by itself, or has a living
  /// owner. A `requester` is recorded with it. If a person requested it, indicated by `requester` or `isAskedFor`, earlier requests to cancel the run
  /// are dropped.
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

  /// Makes a run that this process has claimed, but does not execute (any more), interrupted again. One that was claimed from the queue and has not
  /// begun is queued again. `isLeft` if everything in it waits, and its host drains.
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

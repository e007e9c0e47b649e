import SQLite

/// The group commit: takes small changes from any thread and writes them in their order, many in one transaction.
///
/// One dedicated thread applies the changes. It begins a commit as soon as changes are there, but waits up to `delay` for more
/// to join them, or until 1,024 are there; while it commits, the next ones gather. A log that has grown long is written back
/// in that time, which may take a few milliseconds more. A change is durable against the death of the process once
/// ``flush()`` has returned, and against a power loss once ``flushToDisk()`` has.
///
/// **Failure.** When a batch cannot be committed (a full disk, an I/O error, a lock held for too long), it is rolled back and
/// kept with everything appended since, in order; `onFailure` is told once; ``flush()`` and ``perform(_:)`` throw until
/// ``retry()`` or ``close()`` succeeds. Nothing appended is ever dropped without an error.
///
/// **Holding.** A writer that was given a ``Hold`` does not throw then: ``flush()`` and ``perform(_:)`` wait until its owner's ``retry()`` has
/// succeeded, and work that could not be committed runs again. Beyond the limit it takes no change any more; what it has taken stays.
///
/// Call ``close()`` at the end. A writer that is merely released still writes what it has, in the background.
public final class OrderedWriter<Change: Sendable>: Sendable {
  @usableFromInline let core: OrderedWriterCore<Change>

  /// How a writer keeps changes that it cannot commit, until it can.
  public struct Hold: Sendable {
    let limit: Int
    let size: @Sendable (Change) -> Int
    let onRefusal: @Sendable (Change) -> Void

    /// - Parameters:
    ///   - limit: The most bytes of changes that are taken while nothing can be committed, with those that were there before.
    ///   - size: How many bytes of memory a change takes. Asked only while nothing can be committed. [the thread that appends, or the writer's]
    ///   - onRefusal: Told of each change that did not fit. It must not call the writer. [the thread that appends]
    public init(
      limit: Int, size: @escaping @Sendable (Change) -> Int, onRefusal: @escaping @Sendable (Change) -> Void
    ) {
      self.limit = limit
      self.size = size
      self.onRefusal = onRefusal
    }
  }

  /// Creates a writer; its thread starts with the first change.
  ///
  /// - Parameters:
  ///   - workspace: Where the changes go. It must stay open until the writer is closed.
  ///   - delay: How long a commit waits for company. Default 2 ms; zero commits at once.
  ///   - maximumBatch: The most changes in one transaction.
  ///   - prepare: Prepares the connection, for example its statements, before the first change. [the writer's thread]
  ///   - apply: Writes changes to the database, inside a transaction. It runs again with the same changes if that fails.
  ///     It must not read the clock or generate ids, or a repetition would differ. [the writer's thread]
  ///   - changing: Of which types a batch that was just applied has changed objects, for their subscribers. Default: nobody knows, and all of them look. [the writer's thread]
  ///   - hold: What becomes of changes that cannot be committed. Default nil: whoever waits for them is told of the failure.
  ///   - onFailure: Told of the first failure after a success. [the writer's thread]
  public init(
    workspace: OpenWorkspace,
    delay: Duration = .milliseconds(2),
    maximumBatch: Int = 4096,
    prepare: @escaping @Sendable (Database) throws -> Void = { _ in },
    apply: @escaping @Sendable (Database, ArraySlice<Change>) throws -> Void,
    changing: (@Sendable (ArraySlice<Change>) -> ChangedTypes)? = nil,
    hold: Hold? = nil,
    onFailure: @escaping @Sendable (WorkspaceError) -> Void = { _ in }
  ) {
    let (seconds, attoseconds) = delay.components
    core = OrderedWriterCore(
      workspace: workspace, delay: max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000),
      maximumBatch: max(1, maximumBatch), prepare: prepare, apply: apply, changing: changing, hold: hold,
      onFailure: onFailure)
  }

  deinit {
    core.stop()
  }

  /// Starts the thread, so that the first change finds its connection open.
  public func begin() { core.begin() }

  /// Appends a change. Cheap: a lock and an append; it wakes the thread only if that sleeps.
  ///
  /// Returns false, having kept nothing, after ``close()``, and where it does not fit what is held.
  @inlinable
  @discardableResult
  public func append(_ change: consuming Change) -> Bool {
    core.append(change)
  }

  /// Returns once everything appended before is committed, or throws the failure that keeps it from being committed. Where changes are held, it waits.
  public nonisolated(nonsending) func flush() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.flush($0, toDisk: false) }.get()
  }

  /// As ``flush()``, and returns when it is on the disk as well, if the workspace's ``Durability`` wants it: all who wait at the same time share one `fdatasync`.
  ///
  /// Where the disk fails, or the database is no longer where it was opened, it throws; what was appended is committed all the same, and the writer goes on.
  public nonisolated(nonsending) func flushToDisk() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.flush($0, toDisk: true) }.get()
  }

  /// Runs `body` between the changes appended before and after it, and returns when that is committed.
  ///
  /// It shares a transaction with others that wait at the same time. What `body` throws undoes what it has done, and nothing else: where one of those that share a
  /// transaction throws, all of them run again, each in a transaction of its own. Where changes are held and its transaction cannot be committed, it runs again as well.
  public nonisolated(nonsending) func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T)
    async throws -> T
  {
    try await perform(changing: { _ in nil }, body)
  }

  /// The same, and says by what `body` has returned of which types it has changed objects, so that subscribers to others need not look; nil where nobody
  /// knows.
  package nonisolated(nonsending) func perform<T: Sendable>(
    changing types: @escaping @Sendable (T) -> ChangedTypes?,
    _ body: @escaping @Sendable (Database) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      core.perform(
        OrderedWriterJob(
          run: { db in
            let result = try body(db)
            return OrderedWriterJob.Done(types: types(result)) { continuation.resume(returning: result) }
          },
          fail: { continuation.resume(throwing: $0) }))
    }
  }

  /// Tries again to commit what a failure has left. Returns once that is committed; throws if it fails again.
  public nonisolated(nonsending) func retry() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.retry($0) }.get()
  }

  /// From now on, whoever waits for what cannot be committed is told of the failure, as without a ``Hold``: for a program that ends.
  public func endHolding() { core.endHolding() }

  /// Writes what is left, trying once more if a failure has stopped the writer, and ends the thread.
  ///
  /// Throws if changes are left that cannot be written. Closing twice gives the same answer.
  public nonisolated(nonsending) func close() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.close($0) }.get()
  }

  /// How many changes are waiting to be committed at this moment, and how many transactions were committed so far.
  public var progress: (waiting: Int, transactions: Int) { core.progress }

  /// How many bytes of changes are held because they cannot be committed, and how many changes that is.
  public var held: (bytes: Int, changes: Int) { core.held }

  /// The failure that has stopped the writer, or nil while all is well.
  public var failure: WorkspaceError? { core.currentFailure }
}

import SQLite

/// A group committer that accepts small changes from any thread and writes them in order, many per transaction.
///
/// A dedicated thread applies the changes. It begins a commit as soon as there are changes, but waits up to `delay` for more to join them, or until there
/// are 1,024; during the commit, further ones accumulate. A long log is checkpointed in that time, which may take a few milliseconds more. A change
/// survives the death of the process once ``flush()`` has returned, and a power loss once ``flushToDisk()`` has.
///
/// **Failure.** If a batch cannot be committed (a full disk, an I/O error, a lock held for too long), it is rolled back and kept with everything appended
/// since, in order. `onFailure` is called once, and ``flush()`` and ``perform(_:)`` throw until ``retry()`` or ``close()`` succeeds. No appended change is
/// ever dropped without an error.
///
/// **Holding.** A writer with a ``Hold`` does not throw then: ``flush()`` and ``perform(_:)`` wait until its owner's ``retry()`` has succeeded, and work
/// that could not be committed runs again. Beyond the limit it accepts no further changes; those it has accepted are kept.
///
/// Call ``close()`` at the end. A writer that is merely released still writes its changes, in the background.
public final class OrderedWriter<Change: Sendable>: Sendable {
  @usableFromInline let core: OrderedWriterCore<Change>

  /// How a writer holds changes that it cannot commit yet.
  public struct Hold: Sendable {
    let limit: Int
    let size: @Sendable (Change) -> Int
    let onRefusal: @Sendable (Change) -> Void

    /// - Parameters:
    ///   - limit: The maximum number of bytes of changes to hold while nothing can be committed, including those that were there before.
    ///   - size: Returns how many bytes of memory a change takes. Called only while nothing can be committed. [the thread that appends, or the writer's]
    ///   - onRefusal: Called with each change that did not fit. It must not call the writer. [the thread that appends]
    public init(
      limit: Int, size: @escaping @Sendable (Change) -> Int, onRefusal: @escaping @Sendable (Change) -> Void
    ) {
      self.limit = limit
      self.size = size
      self.onRefusal = onRefusal
    }
  }

  /// Creates a writer, whose thread starts with the first change.
  ///
  /// - Parameters:
  ///   - workspace: The workspace to write to. It must stay open until the writer is closed.
  ///   - delay: How long a commit waits for further changes. Defaults to 2 ms; zero commits immediately.
  ///   - maximumBatch: The maximum number of changes in one transaction.
  ///   - prepare: Prepares the connection, for example its statements, before the first change. [the writer's thread]
  ///   - apply: Writes changes to the database, inside a transaction. If that fails, it runs again with the same changes. It must not read the clock or
  ///     generate IDs, or a repetition would differ. [the writer's thread]
  ///   - changing: Returns the types whose objects were changed by a batch just applied, for their subscribers. By default this is unknown, and all
  ///     subscribers check for changes. [the writer's thread]
  ///   - hold: How to hold changes that cannot be committed. Defaults to nil: those waiting for them receive the failure.
  ///   - onFailure: Called with the first failure after a success. [the writer's thread]
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

  /// Starts the thread, so that the connection is open when the first change arrives.
  public func begin() { core.begin() }

  /// Appends a change. This is cheap: a lock and an append; the thread is woken only if it is asleep.
  ///
  /// Returns false, without keeping the change, after ``close()``, and if it does not fit within the limit while holding.
  @inlinable
  @discardableResult
  public func append(_ change: consuming Change) -> Bool {
    core.append(change)
  }

  /// Returns once everything appended before is committed, or throws the failure that prevents it. Waits while changes are held.
  public nonisolated(nonsending) func flush() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.flush($0, toDisk: false) }.get()
  }

  /// Like ``flush()``, but also waits until the changes are on disk, if the workspace's ``Durability`` requires it. All concurrent callers share one
  /// `fdatasync`.
  ///
  /// Throws if the disk fails, or the database is no longer where it was opened; the changes are committed nevertheless, and the writer continues.
  public nonisolated(nonsending) func flushToDisk() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.flush($0, toDisk: true) }.get()
  }

  /// Runs `body` between the changes appended before and after it, and returns once that is committed.
  ///
  /// It shares a transaction with other concurrent calls. An error thrown by `body` undoes only its own work: if one of the calls sharing a transaction
  /// throws, all of them run again, each in its own transaction. If changes are held and its transaction cannot be committed, it also runs again.
  public nonisolated(nonsending) func perform<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T)
    async throws -> T
  {
    try await perform(changing: { _ in nil }, body)
  }

  /// Like ``perform(_:)``, with a closure that derives from the result of `body` which types' objects were changed, so that other subscribers need not
  /// check; nil if that is unknown.
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

  /// Retries the commit of the changes left by a failure. Returns once that is committed; throws if it fails again.
  public nonisolated(nonsending) func retry() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.retry($0) }.get()
  }

  /// Ends holding: from now on, those waiting for changes that cannot be committed receive the failure, as without a ``Hold``. For a program that ends.
  public func endHolding() { core.endHolding() }

  /// Writes what is left, with one more attempt after a failure, and ends the thread.
  ///
  /// Throws if there are changes that cannot be written. Closing twice gives the same result.
  public nonisolated(nonsending) func close() async throws(WorkspaceError) {
    try await withCheckedContinuation { core.close($0) }.get()
  }

  /// The number of changes waiting to be committed, and the number of transactions committed so far.
  public var progress: (waiting: Int, transactions: Int) { core.progress }

  /// The size in bytes and the number of changes held because they cannot be committed.
  public var held: (bytes: Int, changes: Int) { core.held }

  /// The failure that has stopped the writer; nil if there is none.
  public var failure: WorkspaceError? { core.currentFailure }
}

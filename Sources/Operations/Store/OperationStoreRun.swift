import Synchronization

/// One run of a store: a task that executes the store's operation, or joins a run that is already executing.
///
/// The run that executes is the leader; it and the runs that joined it are the members. The operation is cancelled when no member needs it
/// any more. A leader that leaves keeps executing for the others.
///
/// Unchecked because all variables are guarded by the store's lock, except the reference to the store, which has its own.
@usableFromInline
final class OperationStoreRun<State: OperationState>: OperationTaskCore<State.OperationValue, State.Failure>,
  @unchecked Sendable
{
  /// The store, until the run has ended: a run in progress retains its store, and one that has ended must not, since
  /// the store may retain it in a history.
  @exclusivity(unchecked) @usableFromInline var keptStore: OperationStore<State>?
  /// Guards ``keptStore`` once the run has started.
  @usableFromInline let storeLock = Mutex<Void>(())
  /// The run that this run has joined; nil if it executes itself or has not started.
  weak var leader: OperationStoreRun?
  /// The runs that joined this run, in order, including those that have left.
  @exclusivity(unchecked) @usableFromInline var followers = OperationTaskNodeList()
  /// Whether the run has started, as leader or as follower.
  @exclusivity(unchecked) @usableFromInline var isRegistered = false
  /// Whether the run no longer needs the result.
  @exclusivity(unchecked) @usableFromInline var hasLeft = false
  /// For a leader: whether the operation has ended.
  @exclusivity(unchecked) @usableFromInline var hasExecuted = false
  /// For a leader: whether no member needs the operation.
  @exclusivity(unchecked) @usableFromInline var isAbandoned = false
  /// For a leader: the task that executes the operation.
  @exclusivity(unchecked) @usableFromInline var execution: Task<Void, Never>?

  @inlinable
  init(store: OperationStore<State>, context: OperationContext) {
    keptStore = store
    super.init(context: context)
  }

  /// The store of the run; nil after the run has ended.
  @usableFromInline
  var store: OperationStore<State>? {
    storeLock._unsafeLock()
    defer { storeLock._unsafeUnlock() }
    return keptStore
  }

  /// Releases the store. The run executes nothing afterwards.
  @inlinable
  func releaseStore() {
    storeLock._unsafeLock()
    let store = keptStore
    keptStore = nil
    storeLock._unsafeUnlock()
    // Released after the lock, because it may be the last reference.
    _ = store
  }

  @inlinable
  var task: OperationTask<State.OperationValue, State.Failure> { OperationTask(core: self) }

  /// The runs for which this leader executes, itself first.
  var members: [OperationStoreRun] { [self] + (0..<followers.count).map { Self.run(followers[$0]) } }

  /// Returns `node` as the run that it is.
  @inlinable
  static func run(_ node: OperationTaskNode) -> OperationStoreRun {
    // Lists of runs belong to one store, and all its runs have the same type.
    unsafeDowncast(node, to: OperationStoreRun.self)
  }

  /// Starts the run, which must not be shared yet, and returns its result. Like ``outcome()``, but without
  /// ``begin(immediately:)``, so that the compiler can specialise the whole path for the state type.
  @inlinable
  nonisolated(nonsending) func outcomeFromStart() async -> Outcome {
    if takeStart() {
      // Nothing that could end the run has started.
      keptStore?.begin(self, immediately: true)
      if let result = finishedResult { return result }
    }
    return await outcome()
  }

  override func begin(immediately isImmediate: Bool) {
    store?.begin(self, immediately: isImmediate)
  }

  override func cancellationRequested() {
    store?.cancel(self)
  }
}

import Synchronization

/// One run of a store: a task that executes the store's operation, or joins a run that already does.
///
/// The run that executes is the leader; it and those that joined it are the members. The operation is cancelled when no
/// member wants it any more. A leader that leaves goes on executing for the others.
///
/// Unchecked because all variables are guarded by the lock of the store, apart from the store itself, which has a lock.
@usableFromInline
final class OperationStoreRun<State: OperationState>: OperationTaskCore<State.OperationValue, State.Failure>,
  @unchecked Sendable
{
  /// The store, until the run has ended: one that goes on keeps its store, and one that has ended must not, since the
  /// store may keep it, in a history.
  @exclusivity(unchecked) @usableFromInline var keptStore: OperationStore<State>?
  /// Guards ``keptStore`` from the beginning of the run on.
  @usableFromInline let storeLock = Mutex<Void>(())
  /// Whom this run has joined; nil when it executes itself or has not begun.
  weak var leader: OperationStoreRun?
  /// Those who joined this run, in order. Includes those that have left.
  @exclusivity(unchecked) @usableFromInline var followers = OperationTaskNodeList()
  /// Whether the run has begun, as leader or as follower.
  @exclusivity(unchecked) @usableFromInline var isRegistered = false
  /// Whether the run does not want the result any more.
  @exclusivity(unchecked) @usableFromInline var hasLeft = false
  /// Of a leader: whether the operation has ended.
  @exclusivity(unchecked) @usableFromInline var hasExecuted = false
  /// Of a leader: whether nobody wants the operation.
  @exclusivity(unchecked) @usableFromInline var isAbandoned = false
  /// Of a leader: what executes the operation.
  @exclusivity(unchecked) @usableFromInline var execution: Task<Void, Never>?

  @inlinable
  init(store: OperationStore<State>, context: OperationContext) {
    keptStore = store
    super.init(context: context)
  }

  /// What the run is of; nil when it has ended.
  @usableFromInline
  var store: OperationStore<State>? {
    storeLock._unsafeLock()
    defer { storeLock._unsafeUnlock() }
    return keptStore
  }

  /// Gives up the store. Nothing more is executed by this run.
  @inlinable
  func releaseStore() {
    storeLock._unsafeLock()
    let store = keptStore
    keptStore = nil
    storeLock._unsafeUnlock()
    // Released after the lock, because it may have been the last reference.
    _ = store
  }

  @inlinable
  var task: OperationTask<State.OperationValue, State.Failure> { OperationTask(core: self) }

  /// All for whom this leader executes, itself first.
  var members: [OperationStoreRun] { [self] + (0..<followers.count).map { Self.run(followers[$0]) } }

  /// `node` as the run that it is.
  @inlinable
  static func run(_ node: OperationTaskNode) -> OperationStoreRun {
    // Lists of runs belong to one store, and all its runs have one type.
    unsafeDowncast(node, to: OperationStoreRun.self)
  }

  /// Starts the run, which nobody else knows of yet, and returns its result: what ``outcome()`` does, but without
  /// ``begin(immediately:)``, so that the compiler sees what follows and makes it one piece for the state at hand.
  @inlinable
  nonisolated(nonsending) func outcomeFromStart() async -> Outcome {
    if takeStart() {
      // Nothing that could end the run has begun.
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

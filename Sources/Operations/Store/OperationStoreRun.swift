/// One run of a store: a task that executes the store's operation, or joins a run that already does.
///
/// The run that executes is the leader; it and those that joined it are the members. The operation is cancelled when no
/// member wants it any more. A leader that leaves goes on executing for the others.
///
/// Unchecked because all variables are guarded by the lock of the store.
final class OperationStoreRun<State: OperationState>: OperationTaskCore<State.OperationValue, State.Failure>,
  @unchecked Sendable
{
  let store: OperationStore<State>
  /// Whom this run has joined; nil when it executes itself or has not begun.
  weak var leader: OperationStoreRun?
  /// Those who joined this run, in order. Includes those that have left.
  var followers = ObjectList()
  /// Whether the run has begun, as leader or as follower.
  var isRegistered = false
  /// Whether the run does not want the result any more.
  var hasLeft = false
  /// Of a leader: whether the operation has ended.
  var hasExecuted = false
  /// Of a leader: whether nobody wants the operation.
  var isAbandoned = false
  /// Of a leader: what executes the operation.
  var execution: Task<Void, Never>?

  init(store: OperationStore<State>, context: OperationContext) {
    self.store = store
    super.init(context: context)
  }

  var task: OperationTask<State.OperationValue, State.Failure> { OperationTask(core: self) }

  /// All for whom this leader executes, itself first.
  var members: [OperationStoreRun] { [self] + (0..<followers.count).map { Self.run(followers[$0]) } }

  /// `object` as the run that it is.
  static func run(_ object: ObjectList.Object) -> OperationStoreRun {
    // Lists of runs belong to one store, and all its runs have one type.
    unsafeDowncast(object, to: OperationStoreRun.self)
  }

  override func begin(immediately isImmediate: Bool) {
    store.begin(self, immediately: isImmediate)
  }

  override func cancellationRequested() {
    store.cancel(self)
  }
}

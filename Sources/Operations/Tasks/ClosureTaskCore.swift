import Synchronization

/// A task whose work is a closure.
final class ClosureTaskCore<Value: Sendable, Failure: Error>: OperationTaskCore<Value, Failure>, @unchecked Sendable {
  // @unchecked: inherited; it only adds locked state.

  typealias Work = @Sendable (OperationContext) async throws(Failure) -> Value

  /// The work, released when it starts.
  private let work: Mutex<Work?>
  private let running = Mutex<Task<Void, Never>?>(nil)

  init(context: OperationContext, work: @escaping Work) {
    self.work = Mutex(work)
    super.init(context: context)
  }

  override func begin(immediately isImmediate: Bool) {
    let task = (configuration ?? OperationTaskConfiguration()).start(immediately: isImmediate) { [self] in
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      await awaitDependencies()
      let work = self.work.withLock { work in
        defer { work = nil }
        return work
      }
      guard let work else { return }
      do throws(Failure) {
        finish(.success(try await work(context)))
      } catch {
        finish(.failure(error))
      }
    }
    running.withLock { $0 = task }
    if isCancelled { task.cancel() }
    if isFinished { running.withLock { $0 = nil } }
  }

  override func cancellationRequested() {
    running.withLock { $0 }?.cancel()
  }
}

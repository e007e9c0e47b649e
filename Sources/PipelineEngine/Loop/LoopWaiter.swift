/// Waits on the event loop for a call of `wake`.
final class LoopWaiter: @unchecked Sendable {
  // @unchecked: the compiler cannot verify it, but this is accessed only on the event loop's thread: by code that runs there anyway and by what is
  // sent there with `execute`.

  private let loop: EventLoop
  private var continuation: CheckedContinuation<Bool, Never>?
  private var isAwake = false

  init(loop: EventLoop) { self.loop = loop }

  /// Returns true if woken, now or before, or false if the task was cancelled first.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        if isAwake { return continuation.resume(returning: true) }
        if Task.isCancelled { return continuation.resume(returning: false) }
        self.continuation = continuation
      }
    } onCancel: {
      loop.execute { self.end(false) }
    }
  }

  /// Ends the current wait, or the next one.
  func wake() {
    isAwake = true
    end(true)
  }

  private func end(_ value: Bool) {
    continuation?.resume(returning: value)
    continuation = nil
  }
}

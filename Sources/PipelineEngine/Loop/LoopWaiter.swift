/// Waits on the loop for somebody to call `wake`.
final class LoopWaiter: @unchecked Sendable {
  // @unchecked: the compiler cannot see it, but this is touched on one thread alone, that of the loop: by what runs there anyway and
  // by what is sent there with `execute`.

  private let loop: EventLoop
  private var continuation: CheckedContinuation<Bool, Never>?
  private var isAwake = false

  init(loop: EventLoop) { self.loop = loop }

  /// True when woken, now or before; false when the task was cancelled first.
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

  /// Ends the wait, or the next one.
  func wake() {
    isAwake = true
    end(true)
  }

  private func end(_ value: Bool) {
    continuation?.resume(returning: value)
    continuation = nil
  }
}

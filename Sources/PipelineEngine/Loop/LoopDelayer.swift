import Operations

/// Lets time pass on the event loop's own timers, without any other thread.
struct LoopDelayer: OperationDelayer {
  let loop: EventLoop

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    let wait = LoopWait(loop: loop)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.reach { wait.begin(continuation, for: duration) }
      }
    } onCancel: {
      loop.execute { wait.end() }
    }
    try Task.checkCancellation()
  }
}

/// One wait for a timer, which may be ended early.
private final class LoopWait: @unchecked Sendable {
  // @unchecked: the compiler cannot see it, but this is touched on one thread alone, that of the loop: by what runs there anyway and
  // by what is sent there with `execute`.

  private let loop: EventLoop
  private var continuation: CheckedContinuation<Void, Never>?
  private var timer: EventLoop.Token?
  private var hasEnded = false

  init(loop: EventLoop) { self.loop = loop }

  func begin(_ continuation: CheckedContinuation<Void, Never>, for duration: Duration) {
    guard !hasEnded else { return continuation.resume() }
    self.continuation = continuation
    timer = loop.schedule(after: duration) { [self] in
      timer = nil
      end()
    }
  }

  func end() {
    hasEnded = true
    if let timer { loop.cancelTimer(timer) }
    timer = nil
    continuation?.resume()
    continuation = nil
  }
}

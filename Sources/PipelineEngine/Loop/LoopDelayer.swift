import Operations
import Synchronization

/// Lets time pass on the event loop's own timers, without any other thread.
struct LoopDelayer: OperationDelayer {
  let loop: EventLoop

  /// - Throws: `CancellationError` where the task is cancelled, or the loop ends.
  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    let wait = LoopWait(loop: loop)
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = LoopWaitAnswer(continuation)
        loop.reach { wait.begin(answer, for: duration) }
      }
    } onCancel: {
      loop.execute { wait.end() }
    }
    try Task.checkCancellation()
    guard isOver else { throw CancellationError() }
  }
}

/// One wait for a timer, which may be ended early.
private final class LoopWait: @unchecked Sendable {
  // @unchecked: the compiler cannot see it, but this is touched on one thread alone, that of the loop: by what runs there anyway and
  // by what is sent there with `execute`.

  private let loop: EventLoop
  /// The timer holds it: it goes with that.
  private weak var answer: LoopWaitAnswer?
  private var timer: EventLoop.Token?
  private var hasEnded = false

  init(loop: EventLoop) { self.loop = loop }

  func begin(_ answer: LoopWaitAnswer, for duration: Duration) {
    guard !hasEnded else { return answer.give() }
    self.answer = answer
    timer = loop.schedule(after: duration) { [self] in
      timer = nil
      hasEnded = true
      answer.give()
    }
  }

  func end() {
    hasEnded = true
    answer?.give()
    if let timer { loop.cancelTimer(timer) }
    timer = nil
  }
}

/// Tells who waits that the wait is over; or that it never will be, when nobody has this any more: the loop has ended, and let go of what it was to do.
private final class LoopWaitAnswer: Sendable {
  private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

  init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

  deinit { continuation.withLock { $0.take() }?.resume(returning: false) }

  func give() { continuation.withLock { $0.take() }?.resume(returning: true) }
}

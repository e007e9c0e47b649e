import Operations
import Synchronization

/// Performs delays by the event loop's own timers, without any other thread.
struct LoopDelayer: OperationDelayer {
  let loop: EventLoop

  /// - Throws: `CancellationError` if the task is cancelled or the event loop ends.
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
  // @unchecked: the compiler cannot verify it, but this is accessed only on the event loop's thread: by code that runs there anyway and by what is
  // sent there with `execute`.

  private let loop: EventLoop
  /// Weak, because the timer owns it: it is released with the timer.
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

/// Notifies the waiting task that the wait is over, or, when this is released without an answer, that it never will be: the event loop has ended and
/// dropped its timers.
private final class LoopWaitAnswer: Sendable {
  private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

  init(_ continuation: CheckedContinuation<Bool, Never>) { self.continuation = Mutex(continuation) }

  deinit { continuation.withLock { $0.take() }?.resume(returning: false) }

  func give() { continuation.withLock { $0.take() }?.resume(returning: true) }
}

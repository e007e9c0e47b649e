import Operations
import RunHistory

/// A signal for one waiter on the event loop that may ring any number of times.
final class ConditionSignal: @unchecked Sendable {
  // @unchecked: `waiter`, `hasRung`, `isExpired` and `timer` are accessed only on the event loop.

  private let loop: EventLoop
  private var waiter: LoopWaiter?
  private var hasRung = false
  private(set) var isExpired = false
  private var timer: EventLoop.Token?

  init(loop: EventLoop) { self.loop = loop }

  deinit {
    if let timer { loop.execute { [loop] in loop.cancelTimer(timer) } }
  }

  /// Wakes the current waiter, or the next one. May be called from any thread.
  func ring() {
    loop.execute { self.wake() }
  }

  /// Wakes the waiter after `duration`. *On the event loop.*
  func expire(after duration: Duration) {
    timer = loop.schedule(after: max(.zero, duration)) { [weak self] in
      self?.timer = nil
      self?.isExpired = true
      self?.wake()
    }
  }

  /// Waits for the signal. Returns true if it rang since the last wait, or false if the task was cancelled. *On the event loop.*
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    if hasRung {
      hasRung = false
      return true
    }
    let waiter = LoopWaiter(loop: loop)
    self.waiter = waiter
    let isAwake = await waiter.wait()
    self.waiter = nil
    hasRung = false
    return isAwake
  }

  private func wake() {
    hasRung = true
    waiter?.wake()
  }
}

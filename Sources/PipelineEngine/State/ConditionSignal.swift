import Operations
import RunHistory

/// Rings any number of times for one waiter on the loop.
final class ConditionSignal: @unchecked Sendable {
  // @unchecked: `waiter`, `hasRung`, `isExpired` and `timer` are touched only on the loop.

  private let loop: EventLoop
  private var waiter: LoopWaiter?
  private var hasRung = false
  private(set) var isExpired = false
  private var timer: EventLoop.Token?

  init(loop: EventLoop) { self.loop = loop }

  deinit {
    if let timer { loop.execute { [loop] in loop.cancelTimer(timer) } }
  }

  /// Wakes the waiter, or the next one. Any thread.
  func ring() {
    loop.execute { self.wake() }
  }

  /// Wakes the waiter once the time is over. *On the loop.*
  func expire(after duration: Duration) {
    timer = loop.schedule(after: max(.zero, duration)) { [weak self] in
      self?.timer = nil
      self?.isExpired = true
      self?.wake()
    }
  }

  /// True when it rang since the last wait; false when the task was cancelled. *On the loop.*
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

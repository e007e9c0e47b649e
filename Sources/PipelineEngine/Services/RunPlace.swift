import Operations
import Synchronization

/// The slot of a run among those that its host executes at once, shared by a run and all runs nested in it.
///
/// It is released while everything in the run waits for something that the host does not allocate, such as an answer, a condition or a retry, and is
/// requested again before an operation takes a slot. The owner of the run slots reads this in ``state``, and answers with ``grant()``.
package final class RunPlace: @unchecked Sendable {
  // @unchecked: the state is behind a lock; everything else that changes is accessed only on the event loop.

  /// The state of the slot. The owner of the run slots may read it at any time.
  package enum State: Sendable {
    case held
    case givenBack
    /// An operation waits for it.
    case wanted
  }

  /// How long everything must have waited before the slot is released. Most waits are shorter.
  private static let delay = Duration.milliseconds(50)

  private let current: Mutex<State>
  /// Whether the run may no longer begin.
  private let barred = Atomic(false)
  private let loop: EventLoop
  private let delayer: (any OperationDelayer)?
  private let onChange: @Sendable () -> Void
  /// The limits of the runs whose requests failed.
  private var asking: [RunLimits] = []
  /// Ends the wait for the next check.
  private var timer: (() -> Void)?
  /// Whether everything in the run waits.
  var isResting: () -> Bool = { false }

  /// - Parameters:
  ///   - isHeld: Whether the run has the slot from the beginning; if not, it requests it.
  ///   - loop: The event loop of the run.
  ///   - delayer: Performs delays. Nil for the timers of the event loop.
  ///   - onChange: Called on the event loop when the slot was released or is requested. Must return immediately.
  init(isHeld: Bool, loop: EventLoop, delayer: (any OperationDelayer)?, onChange: @escaping @Sendable () -> Void) {
    current = Mutex(isHeld ? .held : .wanted)
    self.loop = loop
    self.delayer = delayer
    self.onChange = onChange
  }

  /// The current state.
  package var state: State { current.withLock { $0 } }

  /// Prevents a run from the queue that has not begun from beginning, because its host drains.
  package func bar() { barred.store(true, ordering: .sequentiallyConsistent) }

  /// Whether such a run may begin.
  var mayBegin: Bool { !barred.load(ordering: .sequentiallyConsistent) }

  /// Grants the slot to the run that requested it.
  package func grant() {
    guard change(from: .wanted, to: .held) else { return }
    loop.execute { [self] in
      let limits = asking
      asking = []
      for limits in limits { limits.placeGranted() }
      // The operation that requested it may have ended in the meantime.
      lookSoon()
    }
  }

  // MARK: On the event loop

  /// Whether the run has the slot. If not, requests it; `limits` is notified when it is granted.
  func isHeld(for limits: RunLimits) -> Bool {
    guard state != .held else { return true }
    if !asking.contains(where: { $0 === limits }) { asking.append(limits) }
    if change(from: .givenBack, to: .wanted) { onChange() }
    return false
  }

  /// Notes that something in the run has begun to wait or has ended: releases the slot soon if everything waits.
  func lookSoon() {
    guard timer == nil, state == .held else { return }
    guard let delayer else {
      let token = loop.schedule(after: Self.delay) { [weak self] in self?.look() }
      timer = { [loop] in loop.cancelTimer(token) }
      return
    }
    let wait = Task(executorPreference: loop) { [weak self] in
      guard (try? await delayer.delay(for: Self.delay)) != nil else { return }
      self?.look()
    }
    timer = { wait.cancel() }
  }

  /// Notes that the run has ended.
  func close() {
    timer?()
    timer = nil
    asking = []
    isResting = { false }
  }

  private func look() {
    timer = nil
    guard isResting(), change(from: .held, to: .givenBack) else { return }
    onChange()
  }

  private func change(from former: State, to next: State) -> Bool {
    current.withLock { state in
      guard state == former else { return false }
      state = next
      return true
    }
  }
}

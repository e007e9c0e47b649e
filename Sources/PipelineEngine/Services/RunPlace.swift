import Operations
import Synchronization

/// The place of a run among those that its host lets go on at once; one for a run and all that are nested in it.
///
/// It is given back while everything in the run waits for something that its host does not share out, such as an answer, a condition or a retry, and is asked
/// for again before an operation takes a slot. Whoever hands out places sees that in ``state``, and answers with ``grant()``.
package final class RunPlace: @unchecked Sendable {
  // @unchecked: the state is behind a lock; everything else that changes is touched on the loop alone.

  /// Where it stands. Whoever hands out places may read it at any time.
  package enum State: Sendable {
    case held
    case givenBack
    /// An operation waits for it.
    case wanted
  }

  /// How long everything must have waited. Most waits are over sooner.
  private static let delay = Duration.milliseconds(50)

  private let current: Mutex<State>
  /// Whether the run may no longer begin.
  private let barred = Atomic(false)
  private let loop: EventLoop
  private let delayer: (any OperationDelayer)?
  private let onChange: @Sendable () -> Void
  /// The runs that asked in vain.
  private var asking: [RunLimits] = []
  /// Ends the wait for the next look.
  private var timer: (() -> Void)?
  /// Whether everything in the run waits.
  var isResting: () -> Bool = { false }

  /// - Parameters:
  ///   - isHeld: Whether the run has it from the beginning; if not, it wants it.
  ///   - loop: The loop of the run.
  ///   - delayer: What lets time pass. Nil for the timers of the loop.
  ///   - onChange: Told, on the loop, that it was given back or is wanted. Must return at once.
  init(isHeld: Bool, loop: EventLoop, delayer: (any OperationDelayer)?, onChange: @escaping @Sendable () -> Void) {
    current = Mutex(isHeld ? .held : .wanted)
    self.loop = loop
    self.delayer = delayer
    self.onChange = onChange
  }

  /// Where it stands.
  package var state: State { current.withLock { $0 } }

  /// Keeps a run from the queue that has not begun from beginning: its host drains.
  package func bar() { barred.store(true, ordering: .sequentiallyConsistent) }

  /// Whether such a run may begin.
  var mayBegin: Bool { !barred.load(ordering: .sequentiallyConsistent) }

  /// Lets the run that wants it have it.
  package func grant() {
    guard change(from: .wanted, to: .held) else { return }
    loop.execute { [self] in
      let limits = asking
      asking = []
      for limits in limits { limits.placeGranted() }
      // Whoever wanted it may have ended meanwhile.
      lookSoon()
    }
  }

  // MARK: On the loop

  /// Whether the run has it. If not, it asks for it, and `limits` hears when it does.
  func isHeld(for limits: RunLimits) -> Bool {
    guard state != .held else { return true }
    if !asking.contains(where: { $0 === limits }) { asking.append(limits) }
    if change(from: .givenBack, to: .wanted) { onChange() }
    return false
  }

  /// Something in the run has begun to wait, or has ended: gives the place back soon, if everything waits.
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

  /// The run has ended.
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

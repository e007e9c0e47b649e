/// The operations that run or wait in a state that is not in the history yet. A timer runs as long as such a state is to be recorded.
///
/// Most operations end before the timer fires, and need only one row.
final class UnrecordedStates {
  /// How long an operation stays in a state before it is recorded.
  private static let delay = Duration.milliseconds(50)

  private var ordinals: Set<Int> = []
  private var timer: EventLoop.Token?
  private let loop: EventLoop
  /// Called on the event loop when the states are to be recorded: see ``forEach(_:)``.
  var onTime: (() -> Void)?

  init(loop: EventLoop) { self.loop = loop }

  /// Adds an unfinished operation whose state has changed.
  func insert(_ ordinal: Int) {
    ordinals.insert(ordinal)
    guard timer == nil else { return }
    timer = loop.schedule(after: Self.delay) { [weak self] in self?.onTime?() }
  }

  /// Removes an operation whose state is recorded, or never will be.
  func remove(_ ordinal: Int) { ordinals.remove(ordinal) }

  /// Calls `body` for each operation, in order, and removes them all.
  func forEach(_ body: (Int) -> Void) {
    timer = nil
    for ordinal in ordinals.sorted() { body(ordinal) }
    ordinals.removeAll(keepingCapacity: true)
  }

  /// Stops the timer, so that nothing more is recorded.
  func stop() {
    if let timer { loop.cancelTimer(timer) }
    timer = nil
  }
}

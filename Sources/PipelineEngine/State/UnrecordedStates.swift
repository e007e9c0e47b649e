/// The operations that run or wait in a state that the history does not know yet: there is a timer as long as it is to learn of one.
///
/// Most operations have ended before it is over, and one row is enough for them.
final class UnrecordedStates {
  /// How long something may run before the history says that it does.
  private static let delay = Duration.milliseconds(50)

  private var ordinals: Set<Int> = []
  private var timer: EventLoop.Token?
  private let loop: EventLoop
  /// Called on the loop when it is time to record them: see ``forEach(_:)``.
  var onTime: (() -> Void)?

  init(loop: EventLoop) { self.loop = loop }

  /// Adds an operation that goes on in another state.
  func insert(_ ordinal: Int) {
    ordinals.insert(ordinal)
    guard timer == nil else { return }
    timer = loop.schedule(after: Self.delay) { [weak self] in self?.onTime?() }
  }

  /// Its state is in the history, or will never be.
  func remove(_ ordinal: Int) { ordinals.remove(ordinal) }

  /// Calls `body` for each operation, in order: now is the time.
  func forEach(_ body: (Int) -> Void) {
    timer = nil
    for ordinal in ordinals.sorted() { body(ordinal) }
    ordinals.removeAll(keepingCapacity: true)
  }

  /// Nothing is recorded any more.
  func stop() {
    if let timer { loop.cancelTimer(timer) }
    timer = nil
  }
}

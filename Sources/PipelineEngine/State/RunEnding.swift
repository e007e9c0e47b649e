import Operations
import RunHistory

/// What ends a run, or one of its loops, before its operations have ended. The first cancellation counts; a run that was lost is forced to end, and a
/// forced run spares nothing.
struct RunEnding {
  /// Why the run is being cancelled; nil while it is not.
  private(set) var cancellation: RunCancellation?
  /// The person or process that cancels it, if known.
  private(set) var canceller: RunCanceller?
  /// Whether everything ends immediately.
  private(set) var isForced = false
  /// Why the run may no longer record or start anything: another host has claimed it, or its records no longer fit in memory.
  private(set) var loss: EngineError?
  /// The monotonic time at which the run was last known to belong to this host.
  var ownedAt: Duration?
  /// The timer for the run's `timeout`.
  var timer: EventLoop.Token?
  /// Why the engine itself cannot continue.
  var failure: (any Error)?
  /// The loops that may end before their items have.
  var loops = LoopEndings()
  /// The tasks of operations that may outlast a cancellation that ends all others.
  var lasting: [Int: Task<Void, Never>] = [:]
  /// The tasks that determine whether these operations continue: see ``Run/awaitAnswer(_:)``.
  var asked: [Int: Task<Void, Never>] = [:]
  /// The handlers, which outlast any cancellation except one that spares nothing.
  var handlers: Task<Void, Never>?
  /// Operations that begin or continue although the run is cancelled, because their `when` allows it.
  private(set) var spared: Set<Int> = []

  /// 0 while nothing is cancelled, 1 once the run is cancelled, 2 once it is killed.
  var stage: Int { isForced ? 2 : cancellation == nil ? 0 : 1 }

  var isLost: Bool { loss != nil }
  /// Whether the run belongs to another host, including all its active work.
  var isTaken: Bool { if case .runTaken? = loss { true } else { false } }

  /// Cancels the run. Returns false if it is cancelled already.
  mutating func cancel(_ reason: RunCancellation, by canceller: RunCanceller?) -> Bool {
    guard cancellation == nil else { return false }
    cancellation = reason
    self.canceller = canceller
    return true
  }

  /// Notes that the run cannot continue. This is recorded as its failure, whatever else may have cancelled it.
  mutating func fail(_ reason: RunCancellation, with error: any Error) {
    if reason == .history || failure == nil { failure = error }
    if cancellation != nil { cancellation = reason }
  }

  /// Ends everything immediately.
  mutating func force() { isForced = true }

  /// Notes that the run belongs to another host or is interrupted.
  mutating func lose(_ error: EngineError) {
    loss = error
    isForced = true
    failure = error
  }

  /// Lets an operation begin or continue although the run is cancelled.
  mutating func spare(_ ordinal: Int) { spared.insert(ordinal) }

  /// Ends an operation that was spared.
  mutating func spareNoLonger(_ ordinal: Int) {
    if spared.remove(ordinal) != nil { lasting[ordinal]?.cancel() }
  }

  /// Ends the operations that were spared.
  mutating func spareNoOperation() {
    spared.removeAll()
    for task in asked.values { task.cancel() }
    for task in lasting.values { task.cancel() }
  }

  /// Ends everything that was spared, including the handlers.
  mutating func spareNothing() {
    spareNoOperation()
    handlers?.cancel()
  }
}

/// Why a run is being cancelled.
enum RunCancellation {
  /// A person or process requested it.
  case requested
  case timeout
  /// It has not begun within `start_within`.
  case late
  /// The history cannot be written.
  case history
  /// The engine itself cannot continue.
  case engine

  /// How a run cancelled for this reason ends.
  var end: RunEnd {
    switch self {
    case .requested: .cancelled()
    case .timeout: .failed(.timeout)
    case .late: .cancelled(.tooLate)
    case .history: .failed(.historyFailed)
    case .engine: .failed(.engineFailed)
    }
  }
}

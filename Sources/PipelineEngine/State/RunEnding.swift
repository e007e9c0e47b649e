import Operations
import RunHistory

/// What ends a run, or one of its loops, before its operations have: the first cancellation counts, a run that was lost is forced, and one that is forced spares nothing.
struct RunEnding {
  /// Why the run is being cancelled; nil while it is not.
  private(set) var cancellation: RunCancellation?
  /// Who or what cancels it, as far as that is known.
  private(set) var canceller: RunCanceller?
  /// Whether everything ends at once.
  private(set) var isForced = false
  /// Why the run may neither record nor start anything any more: it was taken from this host, or its records no longer fit what is held.
  private(set) var loss: EngineError?
  /// When the run was known last to be this host's, on the monotonic clock.
  var ownedAt: Duration?
  /// Ends it when the time of its `timeout` is up.
  var timer: EventLoop.Token?
  /// Why the engine itself cannot go on.
  var failure: (any Error)?
  /// The loops that may end before their items have.
  var loops = LoopEndings()
  /// The tasks of operations that may outlast a cancellation which ends all others.
  var lasting: [Int: Task<Void, Never>] = [:]
  /// Which of them are being asked whether they go on: see ``Run/awaitAnswer(_:)``.
  var asked: [Int: Task<Void, Never>] = [:]
  /// The handlers, which outlast any cancellation but one that spares nothing.
  var handlers: Task<Void, Never>?
  /// Operations that begin, or go on, although the run is cancelled, because their `when` asks for it.
  private(set) var spared: Set<Int> = []

  /// 0 while nothing is cancelled, 1 once the run is, 2 once it is killed.
  var stage: Int { isForced ? 2 : cancellation == nil ? 0 : 1 }

  var isLost: Bool { loss != nil }
  /// Whether it is another host's, to which all belongs that goes on of it.
  var isTaken: Bool { if case .runTaken? = loss { true } else { false } }

  /// Cancels the run; false where it is cancelled already.
  mutating func cancel(_ reason: RunCancellation, by canceller: RunCanceller?) -> Bool {
    guard cancellation == nil else { return false }
    cancellation = reason
    self.canceller = canceller
    return true
  }

  /// The run cannot go on, whatever else may be cancelling it: that is what it is recorded to have failed of.
  mutating func fail(_ reason: RunCancellation, with error: any Error) {
    if reason == .history || failure == nil { failure = error }
    if cancellation != nil { cancellation = reason }
  }

  /// Everything ends at once.
  mutating func force() { isForced = true }

  /// The run is another host's, or is interrupted.
  mutating func lose(_ error: EngineError) {
    loss = error
    isForced = true
    failure = error
  }

  /// An operation begins, or goes on, although the run is cancelled.
  mutating func spare(_ ordinal: Int) { spared.insert(ordinal) }

  /// An operation that was spared ends with the run after all.
  mutating func spareNoLonger(_ ordinal: Int) {
    if spared.remove(ordinal) != nil { lasting[ordinal]?.cancel() }
  }

  /// The operations that were spared end as well.
  mutating func spareNoOperation() {
    spared.removeAll()
    for task in asked.values { task.cancel() }
    for task in lasting.values { task.cancel() }
  }

  /// Whatever was spared ends as well, the handlers included.
  mutating func spareNothing() {
    spareNoOperation()
    handlers?.cancel()
  }
}

/// Why a run is being cancelled.
enum RunCancellation {
  /// Somebody asked for it.
  case requested
  case timeout
  /// It has not begun within `start_within`.
  case late
  /// The history cannot be written.
  case history
  /// The engine itself cannot go on.
  case engine

  /// How a run ends that is cancelled so.
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

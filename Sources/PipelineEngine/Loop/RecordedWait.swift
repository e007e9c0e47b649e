import RunHistory

/// A wait as the history keeps it, by two clocks: the wall clock may be set while there is no host, and the time since boot ends with the boot.
///
/// What is left of it is the smaller of what the two say, and never more than the whole wait: a clock that is set back does not prolong a wait, and one
/// that is set forward may shorten it. Another boot, or another container, leaves the wall clock alone.
struct RecordedWait: Sendable, Hashable {
  /// What is waited for.
  enum Kind: Sendable {
    /// A time, of which `wait` says how long it is.
    case time
    case specification, retry, approval
    /// The next round of a repetition.
    case round
  }

  /// The present, by both clocks.
  struct Moment: Sendable, Hashable {
    /// The wall clock.
    var time: RecordTime
    /// The identity of the boot and the container; empty where the kernel does not tell.
    var boot: String
    /// Microseconds since then, those in which the machine slept included.
    var sinceBoot: Int64
  }

  var kind = Kind.time
  /// When it is over, by the wall clock.
  var due: RecordTime?
  /// The boot that the next two count from.
  var boot: String?
  /// When it is over, in microseconds since boot.
  var dueSinceBoot: Int64?
  /// When it began, or the first attempt of its operation, in microseconds since boot.
  var beganSinceBoot: Int64?

  /// What the history keeps of a wait by the time since boot; nil where the boot is not known.
  static func clock(_ now: Moment, left: Duration?, passed: Duration? = nil) -> OperationReason.Clock? {
    guard !now.boot.isEmpty, left != nil || passed != nil else { return nil }
    return OperationReason.Clock(
      boot: now.boot, began: passed.map { now.sinceBoot - $0.wholeMicroseconds },
      due: left.map { now.sinceBoot + $0.wholeMicroseconds })
  }

  /// The wait that an operation is or was in; nil where it has none that ends with time.
  init?(_ reason: OperationReason?) {
    guard let reason else { return nil }
    due = reason.due
    if let clock = reason.clock {
      boot = clock.boot
      dueSinceBoot = clock.due
      beganSinceBoot = clock.began
    }
    if due == nil, boot == nil { return nil }
    switch reason.wait {
    case .specification, .gate: kind = .specification
    case .retry: kind = .retry
    case .approval: kind = .approval
    case .round: kind = .round
    default: break
    }
  }

  /// The wait without its end, which counts once: a later wait of the operation lasts its whole time.
  var withoutEnd: RecordedWait {
    var rest = self
    (rest.due, rest.dueSinceBoot) = (nil, nil)
    return rest
  }

  /// What is left of a wait of `whole`; never negative.
  func left(of whole: Duration, at now: Moment) -> Duration {
    var left = whole
    if let due { left = min(left, .microseconds(due.microseconds - now.time.microseconds)) }
    // Recorded numbers may be anything.
    if boot == now.boot, let dueSinceBoot {
      left = min(left, .microseconds(dueSinceBoot) - .microseconds(now.sinceBoot))
    }
    return max(left, .zero)
  }

  /// How long ago it began, by the clock that says more; never negative. `wall` is what the wall clock says.
  static func passed(_ wait: RecordedWait?, wall: Duration, at now: Moment) -> Duration {
    max(wall, wait?.passedSinceBoot(at: now) ?? .zero, .zero)
  }

  /// How long ago it began, by the time since boot; nil where that is not known, or of another boot.
  func passedSinceBoot(at now: Moment) -> Duration? {
    guard boot == now.boot, let beganSinceBoot else { return nil }
    return .microseconds(now.sinceBoot) - .microseconds(beganSinceBoot)
  }
}

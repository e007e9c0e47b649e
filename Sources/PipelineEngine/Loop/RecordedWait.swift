import RunHistory

/// A wait as the history keeps it, by two clocks: the wall clock may be set while there is no host, and the time since boot ends with the boot.
///
/// The remaining time is the smaller of both clocks' values, and never more than the whole wait: setting the clock back does not prolong a wait, and
/// setting it forward may shorten it. After another boot, or in another container, only the wall clock counts.
struct RecordedWait: Sendable, Hashable {
  /// What is waited for.
  enum Kind: Sendable {
    /// A time; `wait` defines its duration.
    case time
    case specification, retry, approval
    /// The next round of a repetition.
    case round
  }

  /// The current time by both clocks.
  struct Moment: Sendable, Hashable {
    /// The wall clock.
    var time: RecordTime
    /// The identity of the boot and the container; empty if the kernel does not provide it.
    var boot: String
    /// Microseconds since boot, including those in which the computer slept.
    var sinceBoot: Int64
  }

  var kind = Kind.time
  /// When the wait ends, by the wall clock.
  var due: RecordTime?
  /// The boot to which the next two values refer.
  var boot: String?
  /// When the wait ends, in microseconds since boot.
  var dueSinceBoot: Int64?
  /// When the wait began, or the first attempt of its operation, in microseconds since boot.
  var beganSinceBoot: Int64?

  /// Returns what the history keeps of a wait by the time since boot, or nil if the boot is unknown.
  static func clock(_ now: Moment, left: Duration?, passed: Duration? = nil) -> OperationReason.Clock? {
    guard !now.boot.isEmpty, left != nil || passed != nil else { return nil }
    return OperationReason.Clock(
      boot: now.boot, began: passed.map { now.sinceBoot - $0.wholeMicroseconds },
      due: left.map { now.sinceBoot + $0.wholeMicroseconds })
  }

  /// Creates the wait that an operation is or was in; nil if it has none that ends with time.
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

  /// The wait without its end, which counts once: a later wait of the operation lasts its full duration.
  var withoutEnd: RecordedWait {
    var rest = self
    (rest.due, rest.dueSinceBoot) = (nil, nil)
    return rest
  }

  /// Returns how much remains of a wait of `whole`; never negative.
  func left(of whole: Duration, at now: Moment) -> Duration {
    var left = whole
    if let due { left = min(left, .microseconds(due.microseconds - now.time.microseconds)) }
    // Recorded numbers may have any value.
    if boot == now.boot, let dueSinceBoot {
      left = min(left, .microseconds(dueSinceBoot) - .microseconds(now.sinceBoot))
    }
    return max(left, .zero)
  }

  /// Returns how long ago it began, by the clock with the larger value; never negative. `wall` is the wall clock's value.
  static func passed(_ wait: RecordedWait?, wall: Duration, at now: Moment) -> Duration {
    max(wall, wait?.passedSinceBoot(at: now) ?? .zero, .zero)
  }

  /// Returns how long ago it began, by the time since boot, or nil if that is unknown or refers to another boot.
  func passedSinceBoot(at now: Moment) -> Duration? {
    guard boot == now.boot, let beganSinceBoot else { return nil }
    return .microseconds(now.sinceBoot) - .microseconds(beganSinceBoot)
  }
}

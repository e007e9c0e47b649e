import OrderedCollections
import Values

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

  /// The member `clock` of an operation's `detail`, which has what an instant cannot say; nil where the boot is not known.
  static func clock(_ now: Moment, left: Duration?, passed: Duration? = nil) -> JSONValue? {
    guard !now.boot.isEmpty, left != nil || passed != nil else { return nil }
    var members: OrderedDictionary<String, JSONValue> = ["boot": .string(now.boot)]
    if let passed { members["began_us"] = .int(now.sinceBoot - passed.wholeMicroseconds) }
    if let left { members["due_us"] = .int(now.sinceBoot + left.wholeMicroseconds) }
    return .object(members)
  }

  /// Reads the `detail` of an operation; nil where it has no wait that ends with time.
  init?(detail: String?) {
    guard let detail = detail.flatMap({ try? JSONValue.parse($0) }) else { return nil }
    due = detail["due"]?.stringValue.flatMap(TimestampNotation.parse).map(RecordTime.init(secondsSince1970:))
    if let clock = detail["clock"] {
      boot = clock["boot"]?.stringValue
      dueSinceBoot = clock["due_us"]?.intValue
      beganSinceBoot = clock["began_us"]?.intValue
    }
    if due == nil, boot == nil { return nil }
    // The reason is gone once the run was found to be interrupted; the particulars tell.
    if detail["formula"] != nil {
      kind = .specification
    } else if detail["delay_ms"] != nil {
      kind = .retry
    } else if detail["message"] != nil {
      kind = .approval
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

import RunHistory

/// The times of an operation, handler or item.
struct InstanceTiming: Sendable {
  var waitingSince: RecordTime?
  var startedAt: RecordTime?
  var endedAt: RecordTime?
  /// When it, and the attempt that is running, started in this host, by the monotonic clock: a duration must not follow a wall clock that is set meanwhile.
  var started: Duration?
  var attemptStarted: Duration?
}

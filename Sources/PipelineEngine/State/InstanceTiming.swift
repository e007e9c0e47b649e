import RunHistory

/// The times of an operation, handler or item.
struct InstanceTiming: Sendable {
  var waitingSince: RecordTime?
  var startedAt: RecordTime?
  var endedAt: RecordTime?
  /// When it and its running attempt started in this host, by the monotonic clock, so that durations are unaffected when the wall clock is set.
  var started: Duration?
  var attemptStarted: Duration?
}

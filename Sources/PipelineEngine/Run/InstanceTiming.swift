import RunHistory

/// What the engine knows of the times of an operation, handler or item besides those that are recorded as they are.
struct InstanceTiming: Sendable {
  /// When it, and the attempt that is running, started in this host, by the monotonic clock: a duration must not follow a wall clock that is set meanwhile.
  var started: Duration?
  var attemptStarted: Duration?
}

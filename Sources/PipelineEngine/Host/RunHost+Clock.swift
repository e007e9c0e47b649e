extension RunHost {
  /// Calls `body` whenever the wall clock was set, for as long as somebody has the watch, which must be gone before the host is closed.
  package func watchClock(_ body: @escaping @Sendable (ClockWatch.Setting) -> Void) -> ClockWatch {
    ClockWatch(services.time, on: services.loop, body)
  }
}

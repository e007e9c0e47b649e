extension RunHost {
  /// Calls `body` whenever the wall clock is set, as long as the returned watch exists. It must be released before the host is closed.
  package func watchClock(_ body: @escaping @Sendable (ClockWatch.Setting) -> Void) -> ClockWatch {
    ClockWatch(services.time, on: services.loop, body)
  }
}

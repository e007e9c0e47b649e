import PipelineEngine

/// Tells a watchdog that the host works: its event loop, its timers, and the writer of its history. One that hangs is told of by silence.
///
/// A history that cannot be written, because the disk is full, say, is no reason to restart the host, which tries again by itself.
actor HostPulse {
  private let host: RunHost
  private let interval: Duration
  private let beat: @Sendable () -> Void
  private var hasWriterAnswered = true

  /// - Parameters:
  ///   - host: The host to listen to.
  ///   - interval: How often it is told. The writer has as long to answer.
  ///   - beat: Tells the watchdog.
  init(of host: RunHost, every interval: Duration, _ beat: @escaping @Sendable () -> Void) {
    self.host = host
    self.interval = interval
    self.beat = beat
  }

  /// Tells until the task is cancelled.
  func run() async {
    askWriter()
    // By a timer of the loop.
    while (try? await host.delay(for: interval)) != nil {
      await host.awaitLoop()
      if hasWriterAnswered || host.writeFailure != nil { beat() }
      if hasWriterAnswered { askWriter() }
    }
  }

  private func askWriter() {
    hasWriterAnswered = false
    Task {
      await host.awaitWriter()
      hasWriterAnswered = true
    }
  }
}

import PipelineEngine

/// Tells a watchdog that the host works: its event loop, its timers, and the writer of its history. One that hangs is told of by silence.
///
/// A history that cannot be written, because the disk is full or another process holds the write lock, is no reason to restart the host, which tries again by itself.
actor HostPulse {
  private let host: RunHost
  private let interval: Duration
  private let patience: Duration
  private let beat: @Sendable () -> Void
  private var hasWriterAnswered = true
  /// How long the writer has been silent.
  private var silence = Duration.zero

  /// - Parameters:
  ///   - host: The host to listen to.
  ///   - interval: How often it is told. The writer has as long to answer.
  ///   - patience: How long the writer may wait for another process.
  ///   - beat: Tells the watchdog.
  init(of host: RunHost, every interval: Duration, patience: Duration, _ beat: @escaping @Sendable () -> Void) {
    self.patience = patience
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
      silence += interval
      // So long it may wait for another process, before it says so itself.
      if hasWriterAnswered || host.writeFailure != nil || silence < patience { beat() }
      if hasWriterAnswered { askWriter() }
    }
  }

  private func askWriter() {
    hasWriterAnswered = false
    silence = .zero
    Task {
      await host.awaitWriter()
      hasWriterAnswered = true
    }
  }
}

import PipelineEngine

/// Notifies a watchdog while the host works: its event loop, its timers, and the writer of its history. Silence means that one of them hangs.
///
/// A history that cannot be written, because the disk is full or another process holds the write lock, is not a reason to restart the host, which retries by itself.
actor HostPulse {
  private let host: RunHost
  private let interval: Duration
  private let patience: Duration
  private let beat: @Sendable () -> Void
  private var hasWriterAnswered = true
  /// How long the writer has been silent.
  private var silence = Duration.zero

  /// - Parameters:
  ///   - host: The host to monitor.
  ///   - interval: The time between two beats. The writer has the same time to answer.
  ///   - patience: How long the writer may wait for another process.
  ///   - beat: Notifies the watchdog.
  init(of host: RunHost, every interval: Duration, patience: Duration, _ beat: @escaping @Sendable () -> Void) {
    self.patience = patience
    self.host = host
    self.interval = interval
    self.beat = beat
  }

  /// Notifies the watchdog until the task is cancelled.
  func run() async {
    askWriter()
    // This uses a timer of the loop.
    while (try? await host.delay(for: interval)) != nil {
      await host.awaitLoop()
      silence += interval
      // The writer may wait this long for another process before it reports that itself.
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

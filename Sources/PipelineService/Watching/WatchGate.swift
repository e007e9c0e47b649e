/// Lets runs begin until it is closed, and lets the observer idle while none is active: never both at once, and neither once closed.
actor WatchGate {
  private let observer: any WatchObserver
  private let onInterruption: @Sendable () -> Void
  private var runs = 0
  private var isClosed = false
  /// Ends the observer's idling.
  private var endOfIdling: (@Sendable () async -> Void)?

  init(observer: any WatchObserver, onInterruption: @escaping @Sendable () -> Void) {
    self.observer = observer
    self.onInterruption = onInterruption
  }

  /// Lets the observer idle. Returns false if it already does, or a run is active.
  func idle() throws -> Bool {
    guard endOfIdling == nil, runs == 0 else { return false }
    endOfIdling = try observer.idle(onInterruption: onInterruption)
    return true
  }

  /// Admits a run, until ``runEnded()``.
  ///
  /// - Throws: `CancellationError` if the gate is closed.
  func runBegins() async throws {
    guard !isClosed else { throw CancellationError() }
    runs += 1
    await endIdling()
  }

  func runEnded() { runs -= 1 }

  /// Closes the gate, so that nothing can begin any more. Returns false and does nothing while a run is active.
  func close() async -> Bool {
    guard runs == 0 else { return false }
    isClosed = true
    await endIdling()
    return true
  }

  private func endIdling() async {
    guard let end = endOfIdling else { return }
    endOfIdling = nil
    await end()
  }
}

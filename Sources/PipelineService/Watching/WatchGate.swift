/// Lets runs begin until it is closed, and the observer idle while none goes on: never both, and nothing after the closing.
actor WatchGate {
  private let observer: any WatchObserver
  private let onInterruption: @Sendable () -> Void
  private var runs = 0
  private var isClosed = false
  /// Ends the idling of the observer.
  private var endOfIdling: (@Sendable () async -> Void)?

  init(observer: any WatchObserver, onInterruption: @escaping @Sendable () -> Void) {
    self.observer = observer
    self.onInterruption = onInterruption
  }

  /// Lets the observer idle. False when it does already, or a run goes on.
  func idle() throws -> Bool {
    guard endOfIdling == nil, runs == 0 else { return false }
    endOfIdling = try observer.idle(onInterruption: onInterruption)
    return true
  }

  /// Lets a run begin, until it has ended.
  ///
  /// - Throws: `CancellationError` when no run may begin any more.
  func runBegins() async throws {
    guard !isClosed else { throw CancellationError() }
    runs += 1
    await endIdling()
  }

  func runEnded() { runs -= 1 }

  /// Lets nothing begin any more. False, and nothing has happened, while a run goes on.
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

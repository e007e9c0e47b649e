import Synchronization

/// The signals for a host, in their order, until it takes them. Any thread; only one task takes them.
final class HostMail: Sendable {
  let signals: AsyncStream<HostSignal>
  private let sink: AsyncStream<HostSignal>.Continuation
  /// Whether the host was told to drain, even if the signal has been taken.
  var isDrainAsked: Bool { hasDrain.load(ordering: .acquiring) }

  /// Whether files have changed since this was last asked; one signal is enough for any number of changes.
  private let changes = Mutex(false)
  private let hasDrain = Atomic(false)
  private let onDrain = Mutex<(@Sendable () -> Void)?>(nil)
  private let drainNotice = Mutex<(@Sendable () -> Void)?>(nil)

  init() {
    (signals, sink) = AsyncStream.makeStream()
  }

  func send(_ signal: HostSignal) {
    if case .drain = signal {
      if let body = onDrain.withLock({ $0.take() }) { return body() }
      hasDrain.store(true, ordering: .releasing)
      drainNotice.withLock { $0 }?()
    }
    if signal == .filesChanged,
      !changes.withLock({ hasChanges in
        defer { hasChanges = true }
        return !hasChanges
      })
    {
      return
    }
    sink.yield(signal)
  }

  /// Whether files have changed since ``takeChanges()``.
  var hasChanges: Bool { changes.withLock { $0 } }

  /// Lets the next change be signalled again.
  func takeChanges() { changes.withLock { $0 = false } }

  /// Sets `body` to be called at once on each request to drain, before it is taken.
  func noticeDrains(_ body: @escaping @Sendable () -> Void) { drainNotice.withLock { $0 = body } }

  /// Sets `body` to be called on the next request to drain instead of queueing it: for a host that waits for another one. Nil removes it.
  func interceptDrain(_ body: (@Sendable () -> Void)?) { onDrain.withLock { $0 = body } }
}

import Synchronization

/// What a host is told, in its order, until it takes it. Any thread; taken by one task alone.
final class HostMail: Sendable {
  let signals: AsyncStream<HostSignal>
  private let sink: AsyncStream<HostSignal>.Continuation
  /// Whether it was told to drain, taken or not.
  var isDrainAsked: Bool { hasDrain.load(ordering: .acquiring) }

  /// Whether files have changed since that was asked last, of which one signal is enough.
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

  /// The next change is told of again.
  func takeChanges() { changes.withLock { $0 = false } }

  /// Has each request to drain call `body` at once, before it is taken.
  func noticeDrains(_ body: @escaping @Sendable () -> Void) { drainNotice.withLock { $0 = body } }

  /// Has the next request to drain call `body`, in place of being taken: for a host that waits for another one. Nil ends that.
  func interceptDrain(_ body: (@Sendable () -> Void)?) { onDrain.withLock { $0 = body } }
}

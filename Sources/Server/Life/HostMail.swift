import Synchronization

/// What a host is told, in its order, until it takes it. Any thread; taken by one task alone.
final class HostMail: Sendable {
  let signals: AsyncStream<HostSignal>
  private let sink: AsyncStream<HostSignal>.Continuation
  private let onDrain = Mutex<(@Sendable () -> Void)?>(nil)

  init() {
    (signals, sink) = AsyncStream.makeStream()
  }

  func send(_ signal: HostSignal) {
    if case .drain = signal, let body = onDrain.withLock({ $0.take() }) { return body() }
    sink.yield(signal)
  }

  /// Has the next request to drain call `body`, in place of being taken: for a host that waits for another one. Nil ends that.
  func interceptDrain(_ body: (@Sendable () -> Void)?) { onDrain.withLock { $0 = body } }
}

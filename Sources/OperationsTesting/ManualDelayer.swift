import Operations
import Synchronization

/// A delayer whose delays end under the test's control, or by cancellation. It has no clock; see ``TestClock``.
public final class ManualDelayer: OperationDelayer {
  private let state = Mutex<(begun: [Duration], waiting: [Int: CheckedContinuation<Void, any Error>])>(([], [:]))
  private let signal = AsyncStream<Duration>.makeStream()
  /// For each delay that has ended, whether its task was cancelled.
  public let ended = Log<Bool>()

  /// Creates a delayer without delays.
  public init() {}

  /// Waits until ``endOne()`` ends the delay; throws if the task is cancelled.
  public nonisolated(nonsending) func delay(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.begun.append(duration)
      return state.begun.count
    }
    defer { ended.append(Task.isCancelled) }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        state.withLock { $0.waiting[id] = continuation }
        signal.continuation.yield(duration)
        if Task.isCancelled { resume(id, throwing: CancellationError()) }
      }
    } onCancel: {
      resume(id, throwing: CancellationError())
    }
  }

  /// All delays begun so far, in order.
  public var begun: [Duration] { state.withLock { $0.begun } }

  /// Waits until the next delay has begun and returns its duration. Each delay is returned once.
  public func begins() async -> Duration? {
    var iterator = signal.stream.makeAsyncIterator()
    return await iterator.next()
  }

  /// Ends the oldest pending delay.
  public func endOne() {
    guard let id = state.withLock({ $0.waiting.keys.min() }) else { return }
    resume(id, throwing: nil)
  }

  private func resume(_ id: Int, throwing error: (any Error)?) {
    guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
    if let error { waiting.resume(throwing: error) } else { waiting.resume() }
  }
}

import Operations
import Synchronization

/// A delayer whose delays end when the test says so, or by cancellation. No clock goes with it: see ``TestClock``.
public final class ManualDelayer: OperationDelayer {
  private let state = Mutex<(begun: [Duration], waiting: [Int: CheckedContinuation<Void, any Error>])>(([], [:]))
  private let signal = AsyncStream<Duration>.makeStream()
  /// For each delay that has ended, whether it was by cancellation.
  public let ended = Log<Bool>()

  /// A delayer that has not been asked for anything.
  public init() {}

  /// Returns when ``endOne()`` says so; throws when the task is cancelled.
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

  /// All delays that were asked for, in order.
  public var begun: [Duration] { state.withLock { $0.begun } }

  /// Returns once the next delay has begun, with its duration. Each delay is told once.
  public func begins() async -> Duration? {
    var iterator = signal.stream.makeAsyncIterator()
    return await iterator.next()
  }

  /// Ends the oldest delay that still goes on.
  public func endOne() {
    guard let id = state.withLock({ $0.waiting.keys.min() }) else { return }
    resume(id, throwing: nil)
  }

  private func resume(_ id: Int, throwing error: (any Error)?) {
    guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
    if let error { waiting.resume(throwing: error) } else { waiting.resume() }
  }
}

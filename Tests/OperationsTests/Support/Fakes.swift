import Operations
import Synchronization

/// An operation written as a closure.
struct Block<Value>: OperationRequest {
  let body: @Sendable (OperationContext) async throws -> Value

  init(_ body: @escaping @Sendable (OperationContext) async throws -> Value) {
    self.body = body
  }

  func run(
    isolation: isolated (any Actor)?,
    in context: OperationContext,
    with continuation: OperationContinuation<Value, any Error>
  ) async throws -> Value {
    try await body(context)
  }
}

/// Values noted from anywhere, in order.
final class Log<Element: Sendable>: Sendable {
  private let storage = Mutex<[Element]>([])

  var elements: [Element] { storage.withLock { $0 } }
  var count: Int { elements.count }

  @discardableResult
  func append(_ element: Element) -> Int {
    storage.withLock { elements in
      elements.append(element)
      return elements.count
    }
  }
}

/// A clock that only moves when told to, and a delayer that moves it instead of waiting.
final class FakeTime: OperationClock, OperationDelayer {
  private let elapsed = Mutex(Duration.zero)
  let delays = Log<Duration>()

  func now() -> Timestamp { Timestamp(seconds: 1_000_000).advanced(by: monotonic()) }
  func monotonic() -> Duration { elapsed.withLock { $0 } }
  func advance(by duration: Duration) { elapsed.withLock { $0 += duration } }

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    delays.append(duration)
    try Task.checkCancellation()
    advance(by: duration)
  }
}

/// A delayer whose delays end when the test says so, or by cancellation.
final class ManualDelayer: OperationDelayer {
  private let state = Mutex<(begun: [Duration], waiting: [Int: CheckedContinuation<Void, any Error>])>(([], [:]))
  /// Is told of each delay that begins.
  private let signal = AsyncStream<Duration>.makeStream()
  let ended = Log<Bool>()

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
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

  var begun: [Duration] { state.withLock { $0.begun } }

  /// Returns once the next delay has begun.
  func begins() async -> Duration? {
    var iterator = signal.stream.makeAsyncIterator()
    return await iterator.next()
  }

  /// Ends the oldest delay that still goes on.
  func endOne() {
    guard let id = state.withLock({ $0.waiting.keys.min() }) else { return }
    resume(id, throwing: nil)
  }

  private func resume(_ id: Int, throwing error: (any Error)?) {
    guard let waiting = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
    if let error { waiting.resume(throwing: error) } else { waiting.resume() }
  }
}

/// A waker that fires when the test says so.
final class FakeWaker: RetryWaker {
  let name: String
  private let state = Mutex<(next: Int, handlers: [Int: @Sendable () -> Void])>((0, [:]))
  private let subscribed = Log<Int>()

  init(_ name: String) {
    self.name = name
  }

  var subscriberCount: Int { state.withLock { $0.handlers.count } }
  var subscriptionCount: Int { subscribed.count }

  func fire() {
    let handlers = state.withLock { Array($0.handlers.values) }
    for handler in handlers { handler() }
  }

  func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let id = state.withLock { state in
      state.next += 1
      state.handlers[state.next] = onWake
      return state.next
    }
    subscribed.append(id)
    return OperationSubscription { [self] in
      state.withLock { _ = $0.handlers.removeValue(forKey: id) }
    }
  }
}

struct TestError: Error, Equatable {
  var number = 0
}

struct HintingError: RetryHinting {
  let retryAfter: Duration?
}

extension OperationContext {
  /// A context whose clock and delays are `time`.
  static func faking(_ time: FakeTime, seed: UInt64 = 1) -> OperationContext {
    var context = OperationContext()
    context.operationClock = time
    context.operationDelayer = time
    context.operationRandom = OperationRandom(seed: seed)
    return context
  }
}

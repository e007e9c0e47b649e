import Operations
import OperationsTesting

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

typealias Log = OperationsTesting.Log
typealias FakeTime = ImmediateClock
typealias FakeWaker = MockRetryWaker
typealias ManualDelayer = OperationsTesting.ManualDelayer

struct TestError: Error, Equatable {
  var number = 0
}

struct HintingError: RetryHinting {
  let retryAfter: Duration?
  var retryStopReason: String?
}

extension OperationContext {
  /// Returns a context whose clock and delayer are `time`.
  static func faking(_ time: FakeTime, seed: UInt64 = 1) -> OperationContext { .testing(time, seed: seed) }
}

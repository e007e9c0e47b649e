import Operations
import Testing

@Suite("Timeout")
struct TimeoutTests {
  private let delayer = ManualDelayer()
  private let ended = Log<Bool>()

  private var context: OperationContext {
    var context = OperationContext()
    context.operationDelayer = delayer
    return context
  }

  private var endless: Block<String> {
    Block { [ended] _ in
      defer { ended.append(Task.isCancelled) }
      try await ContinuousClock().sleep(for: .seconds(3_600))
      return "done"
    }
  }

  @Test("An operation that is too slow is cancelled and awaited, and the timeout error is thrown")
  func expires() async {
    let runner = OperationRunner(endless.timeout(.seconds(30)), context: context)
    let end = Task { try await runner.run() }
    #expect(await delayer.begins() == .seconds(30))
    delayer.endOne()
    await #expect(throws: OperationTimeoutError(.seconds(30))) { try await end.value }
    #expect(ended.elements == [true])
  }

  @Test("The timeout error takes precedence over a success after the cancellation")
  func lateSuccess() async {
    let operation = Block<String> { _ in
      try? await ContinuousClock().sleep(for: .seconds(3_600))
      return "late"
    }
    let runner = OperationRunner(operation.timeout(.seconds(30)), context: context)
    let end = Task { try await runner.run() }
    _ = await delayer.begins()
    delayer.endOne()
    await #expect(throws: OperationTimeoutError(.seconds(30))) { try await end.value }
  }

  @Test("An operation that ends in time keeps its value or error, and the timer ends")
  func inTime() async throws {
    #expect(try await OperationRunner(Block { _ in 5 }.timeout(.seconds(30)), context: context).run() == 5)
    let failing = Block<Int> { _ in throw TestError(number: 3) }
    await #expect(throws: TestError(number: 3)) {
      try await OperationRunner(failing.timeout(.seconds(30)), context: context).run()
    }
    #expect(delayer.ended.elements == [true, true])
  }

  @Test("Cancelling the task is not a timeout")
  func cancelled() async {
    let runner = OperationRunner(endless.timeout(.seconds(30)), context: context)
    let task = Task { try await runner.run() }
    _ = await delayer.begins()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ended.elements == [true])
  }

  @Test("No timeout starts no timer, and a timeout of zero does not start the operation")
  func extremes() async throws {
    #expect(try await OperationRunner(Block { _ in 5 }.timeout(nil), context: context).run() == 5)
    for none in [Duration.zero, .seconds(-1)] {
      let runner = OperationRunner(endless.timeout(none), context: context)
      await #expect(throws: OperationTimeoutError(none)) { try await runner.run() }
    }
    #expect(delayer.begun.isEmpty && ended.count == 0)
  }

  @Test("Inside a retry the timeout limits each attempt")
  func insideRetry() async {
    let runner = OperationRunner(
      endless.timeout(.seconds(30)).retry(RetryPolicy(limit: 1, backoff: OperationBackoff.none)), context: context)
    let end = Task { try await runner.run() }
    for expected in [Duration.seconds(30), .zero, .seconds(30)] {
      #expect(await delayer.begins() == expected)
      delayer.endOne()
    }
    await #expect(throws: OperationTimeoutError(.seconds(30))) { try await end.value }
    #expect(ended.elements == [true, true])
  }

  @Test("A delayer that fails ends the operation with the delayer's error")
  func failingDelayer() async {
    struct Broken: OperationDelayer {
      nonisolated(nonsending) func delay(for duration: Duration) async throws { throw TestError(number: -1) }
    }
    let runner = OperationRunner(endless.timeout(.seconds(30)).delayer(Broken()))
    await #expect(throws: TestError(number: -1)) { try await runner.run() }
    #expect(ended.elements == [true])
  }

  @Test("A value that is not Sendable passes through")
  func notSendable() async throws {
    final class Mutable { var number = 1 }
    struct Making: OperationRequest {
      func run(
        isolation: isolated (any Actor)?, in context: OperationContext,
        with continuation: OperationContinuation<Mutable, Never>
      ) async -> Mutable {
        Mutable()
      }
    }
    let made = try await OperationRunner(Making().timeout(.seconds(3_600)).retry(limit: 2)).run()
    #expect(made.number == 1)
  }
}

import Operations
import Testing

@Suite("Retry and cancellation")
struct RetryCancellationTests {
  private let delayer = ManualDelayer()
  private let attempts = Log<Int>()
  private let gaveUp = Log<RetryGiveUpReason>()

  private var context: OperationContext {
    var context = OperationContext()
    context.operationDelayer = delayer
    context.retryObserver = RetryObserver(onGiveUp: { [gaveUp] in gaveUp.append($0) })
    return context
  }

  @Test("Cancellation during the backoff ends the run immediately, without another attempt")
  func duringBackoff() async {
    let operation = Block<Void> { [attempts] _ in throw TestError(number: attempts.append(0)) }
    let runner = OperationRunner(operation.retry(limit: 5).backoff(.constant(.seconds(600))), context: context)
    let task = Task { try await runner.run() }
    _ = await delayer.begins()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(attempts.count == 1)
    #expect(gaveUp.elements == [.cancelled])
  }

  @Test("A cancelled task makes no first attempt", arguments: [0, 3])
  func beforeStart(limit: Int) async {
    let operation = Block<Void> { [attempts] _ in attempts.append(0) }
    let runner = OperationRunner(operation.retry(limit: limit))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await runner.run()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(attempts.count == 0)
  }

  @Test("A cancellation error of a cancelled operation is not retried")
  func ownCancellation() async {
    let operation = Block<Void> { [attempts] _ in
      attempts.append(0)
      withUnsafeCurrentTask { $0?.cancel() }
      try Task.checkCancellation()
    }
    let runner = OperationRunner(operation.retry(limit: 5), context: context)
    await #expect(throws: CancellationError.self) { try await Task { try await runner.run() }.value }
    #expect(attempts.count == 1)
    #expect(gaveUp.elements == [.cancelled])
  }

  @Test("An operation that fails with another error when cancelled is not retried either")
  func otherError() async {
    let operation = Block<Void> { [attempts] _ in
      attempts.append(0)
      withUnsafeCurrentTask { $0?.cancel() }
      throw TestError()
    }
    let runner = OperationRunner(operation.retry(limit: 5), context: context)
    await #expect(throws: CancellationError.self) { try await Task { try await runner.run() }.value }
    #expect(attempts.count == 1)
  }

  @Test("A cancellation error is an ordinary failure if the task is not cancelled")
  func foreignCancellation() async throws {
    let time = FakeTime()
    let operation = Block<Int> { [attempts] _ in
      let number = attempts.append(0)
      guard number > 1 else { throw CancellationError() }
      return number
    }
    #expect(try await OperationRunner(operation.retry(limit: 1), context: .faking(time)).run() == 2)
  }
}

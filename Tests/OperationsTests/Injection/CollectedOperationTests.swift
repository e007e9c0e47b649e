import Operations
import Testing

@Suite("Collected results")
struct CollectedOperationTests {
  /// Adds up its requirement.
  struct Sum: RequirementOperation {
    func run(
      isolation: isolated (any Actor)?, with requirement: [Int], in context: OperationContext,
      with continuation: OperationContinuation<Int, any Error>
    ) async throws -> Int {
      requirement.reduce(0, +)
    }
  }

  private func numbers(_ count: Int) -> [Block<Int>] {
    (0..<count).map { number in Block { _ in number } }
  }

  @Test("Results are in the order of the operations, regardless of which ends first")
  func order() async throws {
    // The first operation waits for the last one, so it certainly ends later.
    let (opened, open) = AsyncStream<Void>.makeStream()
    let operations = [
      Block<Int> { _ in
        for await _ in opened { break }
        return 1
      },
      Block<Int> { _ in
        open.finish()
        return 2
      },
    ]
    #expect(try await OperationRunner(operations.collectResults()).run() == [1, 2])
  }

  @Test("Collecting no operations gives no results")
  func empty() async throws {
    #expect(try await OperationRunner(numbers(0).collectResults()).run().isEmpty)
  }

  @Test("A map transforms each result, and a flat map concatenates the transformed lists")
  func maps() async throws {
    #expect(try await OperationRunner(numbers(3).mapResults { "\($0)" }).run() == ["0", "1", "2"])
    #expect(try await OperationRunner(numbers(3).flatMapResults { Array(0..<$0) }).run() == [0, 0, 1])
  }

  @Test("Every failure is reported with its index, after all operations have ended")
  func failures() async throws {
    let ended = Log<Int>()
    let operations = (0..<4).map { number in
      Block<Int> { _ in
        ended.append(number)
        if number.isMultiple(of: 2) { throw TestError(number: number) }
        return number
      }
    }
    let error = await #expect(throws: CollectedResultsError.self) {
      try await OperationRunner(operations.collectResults()).run()
    }
    #expect(error?.failures.map(\.index) == [0, 2])
    #expect(error?.failures.map { ($0.error as? TestError)?.number } == [0, 2])
    #expect(error?.count == 4)
    #expect(error?.description == "of 4 operations, 2 failed; number 0 with: \(TestError(number: 0))")
    #expect(ended.elements.sorted() == [0, 1, 2, 3])
  }

  @Test("A transform that throws is a failure of its operation")
  func transformFails() async throws {
    let operation = numbers(3).mapResults { number in
      if number == 1 { throw TestError(number: 9) }
      return number
    }
    let error = await #expect(throws: CollectedResultsError.self) { try await OperationRunner(operation).run() }
    #expect(error?.failures.map(\.index) == [1])
  }

  @Test("At most the allowed number of operations run at once")
  func limit() async throws {
    let running = Log<Int>()
    let most = Log<Int>()
    let ended = Log<Int>()
    let operations = (0..<10).map { number in
      Block<Int> { _ in
        most.append(running.append(number) - ended.count)
        await Task.yield()
        ended.append(number)
        return number
      }
    }
    #expect(try await OperationRunner(operations.collectResults(atOnce: 3)).run() == Array(0..<10))
    #expect(most.elements.allSatisfy { $0 <= 3 })
  }

  @Test("Cancelling cancels the running operations, starts no others, and is reported as a cancellation")
  func cancellation() async throws {
    let begun = Log<Int>()
    let (starts, start) = AsyncStream<Void>.makeStream()
    let delayer = ManualDelayer()
    let operations = (0..<4).map { number in
      Block<Int> { context in
        begun.append(number)
        start.yield()
        try await context.operationDelayer.delay(for: .seconds(1))
        return number
      }
    }
    let operation = operations.collectResults(atOnce: 2).delayer(delayer)
    let task = Task { try await OperationRunner(operation).run() }
    var count = 0
    for await _ in starts {
      count += 1
      if count == 2 { break }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(begun.elements.sorted() == [0, 1])
  }

  @Test("Several results are injected together, and one failure cancels the dependent and is reported")
  func injection() async throws {
    #expect(try await OperationRunner(Sum().injectResults(from: numbers(5))).run() == 10)
    let failing = numbers(2) + [Block { _ in throw TestError(number: 7) }]
    do {
      _ = try await OperationRunner(Sum().injectResults(from: failing)).run()
      Issue.record("the dependent should have been cancelled")
    } catch InjectionError.dependencyFailed(let error as CollectedResultsError) {
      #expect(error.failures.map(\.index) == [2])
    }
  }

  @Test("Without failures, a cancelled operation cancels the dependent and a skipped one skips it")
  func otherEnds() async throws {
    func end(_ errors: any Error...) async throws -> InjectionError? {
      let operations = numbers(2) + errors.map { error in Block { _ in throw error } }
      return await #expect(throws: InjectionError.self) {
        try await OperationRunner(Sum().injectResults(from: operations)).run()
      }
    }
    let (skipped, cancelled) = (OperationSkippedError(), CancellationError())
    #expect(try await end(cancelled)?.code == "dependency-cancelled")
    #expect(try await end(InjectionError.requirementNotSatisfied)?.code == "dependency-cancelled")
    #expect(try await end(skipped, cancelled)?.code == "dependency-cancelled")
    #expect(try await end(skipped, cancelled, TestError())?.code == "dependency-failed")
    let skipping = numbers(2) + [Block { _ in throw skipped }]
    await #expect(throws: OperationSkippedError.self) {
      try await OperationRunner(Sum().injectResults(from: skipping)).run()
    }
  }

  @Test("The error distinguishes operations that failed from those without a result for other reasons")
  func description() async throws {
    let ends: [any Error] = [OperationSkippedError(), TestError(number: 1), CancellationError()]
    let operations = numbers(2) + ends.map { error in Block { _ in throw error } }
    let error = await #expect(throws: CollectedResultsError.self) {
      try await OperationRunner(operations.mapResults { if $0 == 0 { throw TestError(number: 2) } }).run()
    }
    #expect(error?.failures.map(\.kind) == [.transform, .skipped, .failed, .cancelled])
    #expect(
      error?.description
        == "of 5 operations, 1 failed, 1 was cancelled, 1 was skipped, 1 has a result that could not be transformed; "
        + "number 3 with: \(TestError(number: 1))")
  }
}

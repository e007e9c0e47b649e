import Operations
import Testing

@Suite("Repeating")
struct RepeatingTests {
  private let time = FakeTime()
  private let runs = Log<Int>()

  private var counting: Block<Int> { Block { [runs] _ in runs.append(0) } }

  private func run(_ policy: RepeatPolicy<Int>?) async throws -> Int {
    try await OperationRunner(counting.repeating(policy), context: .faking(time)).run()
  }

  @Test("An operation repeats at the interval until the condition is true, and returns the last value")
  func until() async throws {
    let seen = Log<[Int]>()
    let value = try await run(
      RepeatPolicy(every: .seconds(5)) { value, runs in
        seen.append([value, runs])
        return value == 3
      })
    #expect(value == 3)
    #expect(seen.elements == [[1, 1], [2, 2], [3, 3]])
    #expect(time.delays.elements == [.seconds(5), .seconds(5)])
  }

  @Test("The limit counts all runs, and is at least one", arguments: [(1, 1), (3, 3), (0, 1), (-2, 1)])
  func limit(limit: Int, expected: Int) async throws {
    #expect(try await run(RepeatPolicy(every: .zero, limit: limit)) == expected)
    #expect(runs.count == expected)
  }

  @Test("Reaching the limit before the condition is true is an error")
  func limitBeforeCondition() async {
    await #expect(throws: RepeatLimitReachedError(limit: 3)) {
      try await run(RepeatPolicy(every: .seconds(1), limit: 3) { _, _ in false })
    }
    #expect(runs.count == 3)
    #expect(time.delays.count == 2)
  }

  @Test("A condition that becomes true in the last run is in time")
  func lastRun() async throws {
    #expect(try await run(RepeatPolicy(every: .seconds(1), limit: 3) { _, runs in runs == 3 }) == 3)
  }

  @Test("Each wait is reported before it starts; there is none before the first run or after the last")
  func waits() async throws {
    let told = Log<[Int]>()
    var policy = RepeatPolicy<Int>(every: .seconds(1), limit: 3)
    policy.willWait = { [time] in told.append([$0, time.delays.count]) }
    _ = try await run(policy)
    #expect(told.elements == [[1, 0], [2, 1]])
  }

  @Test("Without a policy the operation runs once")
  func once() async throws {
    #expect(try await run(nil) == 1)
    #expect(time.delays.count == 0)
  }

  @Test("A failure of the operation or of the condition ends the repetition")
  func failures() async {
    await #expect(throws: TestError(number: 9)) {
      try await run(RepeatPolicy(every: .zero) { _, _ in throw TestError(number: 9) })
    }
    let failing = Block<Int> { [runs] _ in
      guard runs.append(0) < 4 else { throw TestError(number: 4) }
      return 0
    }
    let runner = OperationRunner(failing.repeating(RepeatPolicy(every: .zero)), context: .faking(time))
    await #expect(throws: TestError(number: 4)) { try await runner.run() }
  }

  @Test("The values before the last are yielded")
  func yields() async throws {
    let seen = Log<Int>()
    let runner = OperationRunner(counting.repeating(RepeatPolicy(every: .zero, limit: 3)), context: .faking(time))
    _ = try await runner.run(with: OperationContinuation { result, _ in seen.append((try? result.get()) ?? -1) })
    #expect(seen.elements == [1, 2])
  }

  @Test("Cancellation ends the wait between two runs immediately")
  func cancellation() async {
    let delayer = ManualDelayer()
    let runner = OperationRunner(counting.repeating(RepeatPolicy(every: .seconds(600))).delayer(delayer))
    let task = Task { try await runner.run() }
    _ = await delayer.begins()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(runs.count == 1)
  }
}

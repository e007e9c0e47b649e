import Operations
import OperationsTesting
import Testing

@Suite("Test clock")
struct TestClockTests {
  private let clock = TestClock(now: Timestamp(seconds: 100))

  @Test("Delays end when the clock has been advanced far enough, earliest first")
  func advance() async throws {
    let order = Log<Int>()
    let tasks = [3, 1, 2].map { number in
      Task { [clock] in
        try await clock.delay(for: .seconds(number))
        order.append(number)
      }
    }
    await clock.hasDelays(3)
    #expect(clock.remainingDelays == [.seconds(1), .seconds(2), .seconds(3)])
    clock.advance(by: .seconds(1))
    try await tasks[1].value
    #expect(order.elements == [1])
    clock.advance(by: .seconds(5))
    for task in tasks { try await task.value }
    #expect(clock.delayCount == 0)
    #expect(clock.now() == Timestamp(seconds: 106))
    #expect(clock.monotonic() == .seconds(6))
  }

  @Test("A cancelled delay ends immediately with a cancellation, and one in a cancelled task does not start")
  func cancel() async {
    let task = Task { [clock] in try await clock.delay(for: .seconds(1)) }
    await clock.hasDelays(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.delayCount == 0)
  }

  @Test("A delay of zero returns immediately, and setting the wall clock does not advance the time")
  func zero() async throws {
    try await clock.delay(for: .zero)
    clock.setWallClock(to: Timestamp(seconds: 7))
    #expect(clock.now() == Timestamp(seconds: 7))
    #expect(clock.monotonic() == .zero)
  }
}

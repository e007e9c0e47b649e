import Operations
import Testing

@Suite("Timestamp and clock")
struct TimestampTests {
  @Test(
    "Nanoseconds beyond a second are carried over",
    arguments: [
      (0, 1_500_000_000, 1, 500_000_000), (0, -1, -1, 999_999_999), (5, -1_000_000_000, 4, 0),
      (Int64.max, 2_000_000_000, Int64.max, 0),
    ] as [(Int64, Int64, Int64, Int32)])
  func carries(seconds: Int64, nanoseconds: Int64, expectedSeconds: Int64, expectedNanoseconds: Int32) {
    let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    #expect(timestamp.seconds == expectedSeconds)
    #expect(timestamp.nanoseconds == expectedNanoseconds)
  }

  @Test("Advancing and measuring are inverse operations, before and after 1970")
  func advances() {
    let start = Timestamp(seconds: -2, nanoseconds: 750_000_000)
    for duration in [Duration.milliseconds(1_500), .seconds(-9), .nanoseconds(1), .milliseconds(-250), .zero] {
      let end = start.advanced(by: duration)
      #expect(start.duration(to: end) == duration)
      #expect((start < end) == (duration > .zero))
    }
    #expect(Timestamp(seconds: 1).advanced(by: .seconds(Int64.max)).seconds == .max)
    #expect(Timestamp(seconds: 1, nanoseconds: 500_000_000).secondsSince1970 == 1.5)
  }

  @Test("The system's clock shows this century, and its monotonic reading does not go back")
  func system() {
    let clock = SystemOperationClock()
    let readings = (0..<100).map { _ in clock.monotonic() }
    #expect(readings == readings.sorted())
    #expect(clock.now() > Timestamp(seconds: 1_700_000_000))
  }

  @Test("The default delayer waits, and ends immediately when it is cancelled")
  func delayer() async throws {
    let clock = SystemOperationClock()
    let start = clock.monotonic()
    try await ContinuousDelayer().delay(for: .milliseconds(2))
    #expect(clock.monotonic() - start >= .milliseconds(2))
    try await ContinuousDelayer().delay(for: .seconds(-1))
    let task = Task { try await ContinuousDelayer().delay(for: .seconds(3_600)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

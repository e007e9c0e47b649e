import Foundation
import Synchronization
import Testing

@testable import PipelineEngine

@Suite("The lateness of the event loop", .timeLimit(.minutes(1))) struct LoopLatenessTests {
  /// A clock that stands still until it is advanced.
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  private func withLoop(_ body: (EventLoop, Clock) async throws -> Void) async throws {
    let clock = Clock()
    let loop = try EventLoop { clock.now }
    try loop.start()
    try await body(loop, clock)
    loop.stop()
  }

  /// Waits until the event loop has run `body`.
  private func run(on loop: EventLoop, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      loop.execute {
        body()
        continuation.resume()
      }
    }
  }

  private func untilAsleep(_ loop: EventLoop) async { while !loop.meter.isAsleep { await Task.yield() } }

  @Test("is measured from when its timers were due") func timers() async throws {
    try await withLoop { loop, clock in
      let (fired, firing) = AsyncStream.makeStream(of: Int.self)
      await run(on: loop) {
        for (number, delay) in [(0, 100), (1, 350)] {
          _ = loop.schedule(after: .milliseconds(delay)) { firing.yield(number) }
        }
        // A cancelled timer is not late.
        loop.cancelTimer(loop.schedule(after: .milliseconds(1)) {})
      }
      #expect(loop.meter.take().timers == LoopLateness.Figures())
      clock.pass(.milliseconds(400))
      loop.execute {}
      #expect(await fired.first { _ in true } == 0)
      #expect(await fired.first { _ in true } == 1)
      let timers = loop.meter.take().timers
      #expect(timers.count == 2 && timers.maximum == .milliseconds(300))
      #expect(timers.median >= .milliseconds(50) && timers.median < .milliseconds(57))
      #expect(timers.p99 == .milliseconds(300))
      // The second time, there is nothing to report.
      #expect(loop.meter.take().timers.count == 0)
    }
  }

  @Test("is the time without a check for due work, and not the time asleep") func turns() async throws {
    try await withLoop { loop, clock in
      await run(on: loop) {}
      await untilAsleep(loop)
      _ = loop.meter.take()
      clock.pass(.seconds(3600))
      await run(on: loop) { clock.pass(.milliseconds(40)) }
      await untilAsleep(loop)
      let turns = loop.meter.take().turns
      #expect(turns.count >= 1 && turns.maximum == .milliseconds(40))
    }
  }

  @Test("is reported during an iteration that does not end") func stuck() async throws {
    try await withLoop { loop, clock in
      let (stuck, sticking) = AsyncStream.makeStream(of: Void.self)
      let isOver = DispatchSemaphore(value: 0)
      loop.execute {
        sticking.finish()
        isOver.wait()
      }
      for await _ in stuck {}
      clock.pass(.seconds(7))
      #expect(loop.presentTurn == .seconds(7))
      clock.pass(.seconds(1))
      #expect(loop.presentTurn == .seconds(8))
      isOver.signal()
      while loop.presentTurn != .zero { await Task.yield() }
      clock.pass(.seconds(1))
      #expect(loop.presentTurn == .zero)
    }
  }

  @Test("is measured by a host") func host() async throws {
    let directory = NSTemporaryDirectory() + "penstock-lateness-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let host = try RunHost.open(workspace: directory)
    let loop = host.services.loop
    try await Task(executorPreference: loop) {
      try await LoopDelayer(loop: loop).delay(for: .milliseconds(1))
      usleep(30_000)
    }.value
    await untilAsleep(loop)
    let lateness = host.takeLateness()
    #expect(lateness.timers.count > 0 && lateness.turns.maximum >= .milliseconds(30))
    try await host.close()
  }

  @Test("is reported in percentiles that are exact to an eighth") func percentiles() throws {
    var histogram = DurationHistogram()
    #expect(histogram.figures == LoopLateness.Figures())
    for microseconds in 1...10_000 { histogram.add(.microseconds(microseconds)) }
    let figures = histogram.figures
    #expect(figures.count == 10_000 && figures.maximum == .milliseconds(10))
    for (found, exact) in [(figures.median, 5000), (figures.p99, 9900), (figures.p999, 9990)] {
      #expect(found >= .microseconds(exact) && found <= .microseconds(exact + exact / 8), "\(found) for \(exact)")
    }
    // Each duration is in a bucket that contains it.
    for power in 0..<36 {
      let whole: Int64 = 1 << Int64(power)
      for microseconds: Int64 in [whole - 1, whole, whole + 1] {
        var one = DurationHistogram()
        one.add(.microseconds(microseconds))
        one.add(.days)
        let median = one.figures.median
        #expect(median >= .microseconds(microseconds) && median <= .microseconds(microseconds + microseconds / 8))
      }
    }
    var extreme = DurationHistogram()
    for duration in [Duration.seconds(-5), .zero, .nanoseconds(1), .days] { extreme.add(duration) }
    #expect(extreme.figures.count == 4 && extreme.figures.maximum == .days)
    #expect(extreme.figures.median == .zero && extreme.figures.p999 == .days)
  }
}

extension Duration {
  /// Longer than the histogram distinguishes.
  fileprivate static let days = Duration.seconds(1_000_000)
}

import Operations
import Synchronization
import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("When the wall clock is set", .timeLimit(.minutes(5)))
struct ClockTests {
  private let clock = SettableClock()

  @Test("durations in the history are those that passed", arguments: [Duration.seconds(-3600), .seconds(86400), .zero])
  func durations(_ jump: Duration) async throws {
    let host = try EngineTestHost(clock: clock)
    clock.setInNextDelay(by: jump)
    let told = Mutex<[Int64?]>([])
    let run = try await host.run("operations: [{ name: pause, wait: 3s }, { name: after, needs: pause, value: 1 }]") {
      if case .operation(let record) = $0, record.state.isFinal {
        told.withLock { $0.append(Self.length(record.startedAt, record.endedAt)) }
      }
    }
    let operation = try #require(run.operations.first)
    let attempt = try #require(run.attempts.first)
    #expect(Self.length(operation.startedAt, operation.endedAt) == 3_000_000)
    #expect(Self.length(attempt.startedAt, attempt.endedAt) == 3_000_000)
    #expect(Self.length(run.outcome.run.startedAt, run.outcome.run.endedAt) == 3_000_000)
    #expect(told.withLock { $0 } == [3_000_000, 0])
    await host.close()
  }

  private static func length(_ start: RecordTime?, _ end: RecordTime?) -> Int64? {
    start.flatMap { start in end.map { $0.microseconds - start.microseconds } }
  }

  @Test("a wait for an instant ends at that instant, and one for a duration after that duration")
  func waits() async throws {
    for (wait, delays) in [
      ("{ until: '2027-01-15T08:00:03Z' }", [Duration.seconds(3), .seconds(3600)]), ("3s", [.seconds(3)]),
    ] {
      let clock = SettableClock()
      let host = try EngineTestHost(clock: clock)
      clock.setInNextDelay(by: .seconds(-3600))
      let run = try await host.run("operations: [{ name: pause, wait: \(wait) }]")
      #expect(run.states == ["pause succeeded"])
      #expect(clock.delays == delays, "\(wait)")
      await host.close()
    }
  }

  @Test(
    "a result from the future is stale, and reported as such",
    arguments: ["stale_after: 2s", "stale_when: older-than(2s)", "stale_when: changed(/)", "stale_when: never"])
  func stale(_ key: String) async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor(), clock: clock)
    let text = "operations: [{ name: fetch, command: [/bin/true], \(key) }]"
    #expect(try await host.run(text).states == ["fetch succeeded"])
    #expect(try await host.run(text).states == ["fetch reused fresh"])
    clock.set(by: .seconds(-86400))
    let notices = Mutex<[String]>([])
    let run = try await host.run(text) { event in
      if case .notice(_, let notice) = event { notices.withLock { $0.append(notice) } }
    }
    #expect(run.states == ["fetch succeeded"])
    #expect(
      notices.withLock { $0 } == [
        "'fetch' runs again: its latest result is from 2027-01-15T08:00:00.000Z, which is in the future: the clock was set back"
      ])
    // What is recorded with the new time counts again.
    #expect(try await host.run(text).states == ["fetch reused fresh"])
    await host.close()
  }

  @Test("something from the future is older than any age")
  func olderThan() throws {
    var context = OperationContext()
    context.operationClock = clock
    let loop = try EventLoop()
    let now = RecordTime(microseconds: 1_800_000_000_000_000)
    for (seconds, isOlder) in [(Int64(-5), false), (-11, true), (1, true), (86400, true)] {
      let specification = OlderThanSpecification(
        birth: now.advanced(by: seconds * 1_000_000), age: .seconds(10), text: "older-than(10s)", loop: loop)
      #expect(specification.isSatisfied(in: context) == isOlder, "\(seconds)")
      #expect(specification.description(in: context).reason.contains("in the future") == (seconds > 0))
    }
  }

  @Test("what has changed or succeeded since a time in the future counts")
  func since() async throws {
    let host = try EngineTestHost(clock: clock)
    _ = try await host.run("{ name: other, operations: [{ name: a, value: 1 }] }")
    // Later than the file, and than the end of that run.
    clock.set(by: .seconds(1_000_000_000))
    let begun = host.services.now()
    let changed = ChangedSpecification(
      path: "/", text: "changed(/)", since: .success(begun: begun), watch: host.services.observations.paths,
      loop: host.loop)
    let succeeded = PipelineSucceededSpecification(
      pipeline: "other", since: begun, text: "succeeded(other)", runs: host.services.observations.latestRuns,
      watch: host.services.observations.watch, loop: host.loop)
    for (jump, isSatisfied) in [(Duration.zero, false), (.seconds(-1), true)] {
      clock.set(by: jump)
      #expect(changed.isSatisfied(in: host.services.context) == isSatisfied)
      #expect(succeeded.isSatisfied(in: host.services.context) == isSatisfied)
    }
    await host.close()
  }
}

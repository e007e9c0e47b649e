import Glibc
import Testing
import Workspace

@testable import PipelineEngine
@testable import RunHistory

@Suite("Exclusive names", .timeLimit(.minutes(1))) struct ExclusiveLocksTests {
  @Test("that are taken from a dead process also fence off its runs") func fences() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor())
    var record = await (try host.engine("operations: [{ name: a, value: 1 }]")).record
    let current = ProcessIdentity.current
    // A process that certainly does not exist: no process with this id has this start time.
    record.owner = ProcessIdentity(boot: current.boot, pid: current.pid, started: 1)
    host.services.recorder.record(.runCreated(record, definition: ""))
    _ = try await host.services.recorder.perform { [record] in
      try Leases.acquire("disk", holder: LeaseHolder(run: record.id).description, owner: record.owner, in: $0)
    }
    #expect(try host.services.history.isOwned(record.id, fence: record.fence))
    await Task(executorPreference: host.loop) {
      let services = host.services
      let hold = try? await services.shared.locks.take(
        "disk", holder: LeaseHolder(run: .generate()), watch: services.observations.watch
      ) { _ in
      } noticing: { _ in
      }
      #expect(hold?.name == "disk")
      if let hold { await services.shared.locks.giveBack(hold) }
    }.value
    #expect(try !host.services.history.isOwned(record.id, fence: record.fence))
    await host.close()
  }

  @Test("are free for the next if all waiting contenders give up at once") func givenUp() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor())
    let services = host.services
    // It lives as long as this test.
    let other = try #require(ProcessIdentity.running(pid: getppid()))
    _ = try await services.recorder.perform { try Leases.acquire("disk", holder: "other", owner: other, in: $0) }
    let waiting = AwaitedCount()
    func contend() -> Task<Bool, Never> {
      Task(executorPreference: host.loop) {
        let hold = try? await services.shared.locks.take(
          "disk", holder: LeaseHolder(run: .generate()), watch: services.observations.watch
        ) { _ in
          waiting.add(1)
        } noticing: { _ in
        }
        return hold != nil
      }
    }
    let first = contend()
    try await waiting.reaches(1)
    let second = contend()
    let isTaken = await Task(executorPreference: host.loop) { services.shared.locks.isTaken("disk") }.value
    #expect(isTaken)
    await Task(executorPreference: host.loop) {
      first.cancel()
      second.cancel()
    }.value
    let taken = await [first.value, second.value]
    #expect(taken == [false, false])
    let isStillTaken = await Task(executorPreference: host.loop) { services.shared.locks.isTaken("disk") }.value
    #expect(!isStillTaken)
    await host.close()
  }
}

extension RunEngine {
  /// The record of the run.
  fileprivate var record: RunRecord { run.recorder.run }
}

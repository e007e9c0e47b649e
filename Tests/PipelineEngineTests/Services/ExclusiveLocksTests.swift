import Testing
import Workspace

@testable import PipelineEngine
@testable import RunHistory

@Suite("Exclusive names", .timeLimit(.minutes(1))) struct ExclusiveLocksTests {
  @Test("that are taken from a gone process take its runs from it, too") func fences() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor())
    var record = await (try host.engine("operations: [{ name: a, value: 1 }]")).record
    let current = ProcessIdentity.current
    // A process that is certainly gone: nothing with this start time has this id.
    record.owner = ProcessIdentity(boot: current.boot, pid: current.pid, started: 1)
    host.services.recorder.record(.runCreated(record, definition: ""))
    _ = try await host.services.recorder.perform { [record] in
      try Leases.acquire("disk", holder: LeaseHolder(run: record.id).description, owner: record.owner, in: $0)
    }
    #expect(try host.services.history.isOwned(record.id, fence: record.fence))
    await Task(executorPreference: host.loop) {
      let services = host.services
      let hold = try? await services.locks.take(
        "disk", holder: LeaseHolder(run: .generate()), watch: services.observations.watch
      ) { _ in
      } noticing: { _ in
      }
      #expect(hold?.name == "disk")
      if let hold { await services.locks.giveBack(hold) }
    }.value
    #expect(try !host.services.history.isOwned(record.id, fence: record.fence))
    await host.close()
  }
}

extension RunEngine {
  /// The run as it would be recorded now.
  fileprivate var record: RunRecord { run.recorder.run }
}

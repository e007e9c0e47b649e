import Foundation
import Operations
import Testing
import Workspace

@testable import PipelineEngine
@testable import RunHistory

/// Many concurrent runs in one host: 1,000 with `PENSTOCK_SOAK=full`, 150 otherwise. Each is compared with the same run alone, with jobs run by
/// handles. A failure reports its seed; `PENSTOCK_SOAK_SEED` repeats it.
extension ManyRunsTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isFull = environment["PENSTOCK_SOAK"] == "full"
  private static let count = isFull ? 1000 : 150
  private static let seed =
    environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64(UInt32.max))

  private func host(_ runs: [DrawnRun], _ cuts: Cuts, by door: Door) throws -> EngineTestHost {
    let fates = runs.reduce(into: [:]) { fates, run in fates.merge(run.fates) { first, _ in first } }
    let executor = ScriptedExecutor(fates, by: door)
    var capacity = HostCapacity()
    capacity.processes = 64
    // Thousands of questions and ends would wait for the disk.
    let host = try EngineTestHost(executor: executor, capacity: capacity, durability: .process)
    executor.whenHanging = { [loop = host.loop] job in cuts.apply(to: job.run, on: loop) }
    return host
  }

  @Test(
    "end as each would alone, whichever way jobs are run, and leave nothing behind",
    arguments: isFull ? Door.allCases : [.fast])
  func drawn(door: Door) async throws {
    print("ManyRunsTests: PENSTOCK_SOAK_SEED=\(Self.seed)")
    var random = OperationRandom(seed: Self.seed)
    let runs = (0..<Self.count).map { DrawnRun($0, using: &random) }

    let (alone, cutsAlone) = (Cuts(), Cuts())
    let first = try host(runs, alone, by: .handles)
    var expected: [DrawnRun.Outcome] = []
    for run in runs { expected.append(try await run.run(in: first, alone)) }
    await first.close()

    let host = try host(runs, cutsAlone, by: door)
    let engines = Engines()
    let outcomes = try await withThrowingTaskGroup(of: (Int, DrawnRun.Outcome).self) { group in
      for (number, run) in runs.enumerated() {
        group.addTask { (number, try await run.run(in: host, cutsAlone, engines)) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (number, run) in runs.enumerated() {
      #expect(outcomes[number] == expected[number], "seed \(Self.seed), run \(number):\n\(run.text)")
    }
    let states = Set(expected.map(\.state))
    #expect(states == ["succeeded", "failed", "cancelled"], "seed \(Self.seed) draws runs of every end")
    cutsAlone.removeAll()
    try await expectNothing(leftIn: host, engines)
    await host.close()
  }

  /// Checks that nothing of any run is left in a host.
  private func expectNothing(leftIn host: EngineTestHost, _ engines: Engines) async throws {
    let services = host.services
    // What the host itself checks or writes a moment later does not belong to a run.
    for _ in 0..<500 {
      guard await Task(executorPreference: host.loop, operation: { host.loop.waits.timers }).value > 0 else { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    await Task(executorPreference: host.loop) {
      // One watch remains for the host itself, that of the workspace.
      #expect(host.loop.waits.timers == 0)
      #expect(host.loop.waits.descriptors <= 1)
      #expect(services.requests.listenerCount == 0)
      #expect(services.observations.watch.observerCount == 0)
      #expect(services.executors.local.runCount == 0)
      #expect(services.executors.local.runner.count == 0)
      #expect((services.executors.jobs as? ScriptedExecutor)?.jobCount ?? 0 == 0)
      if let limits = services.shared.limits {
        #expect(limits.waitingRuns == 0)
        let all = (0..<1).map { (counter: $0, amount: limits.capacity(of: $0)) }
        #expect(limits.take(all, for: RunLimits(slots: 1, resources: [])))
      }
    }.value
    #expect(engines.left == 0)
    let left = try await services.recorder.perform { db in
      try [
        "run_record WHERE state IN ('queued', 'running')",
        "operation_record WHERE state IN ('pending', 'waiting', 'running', 'retrying')",
        "attempt_record WHERE state NOT IN ('succeeded', 'failed', 'cancelled')",
        "request WHERE taken_at IS NULL", "lease_record WHERE pid IS NOT NULL",
      ].filter { try Int.fetchOne(db.cachedStatement(sql: "SELECT count(*) FROM \($0)")) != 0 }
    }
    #expect(left == [])
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let open = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    #expect(open.filter { $0.hasPrefix(host.directory + "/workspace/runs/") } == [])
  }

  @Test("leave no processes, timers or descriptors behind") func processes() async throws {
    let host = try EngineTestHost()
    let (engines, cuts) = (Engines(), Cuts())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<(Self.count / 10) {
        let isKilled = number % 3 == 0
        let engine = try host.engine(
          """
          operations:
            - { name: a, command: ["true"] }
            - { name: b, pipeline: inner.yaml }
            - { name: c, needs: [a, b], command: [sleep, "\(isKilled ? 600 : 0)"] }
          """, nested: ["inner.yaml": "operations: [{ name: i, command: [echo, hello] }]"]
        ) { [loop = host.loop] event in
          if case .attempt(let attempt) = event, attempt.ordinal == 2 { cuts.apply(to: attempt.run, on: loop) }
        }
        engines.add(engine)
        if isKilled { cuts.set(.kill, for: engine) }
        group.addTask {
          let run = try await host.run(engine)
          #expect(run.outcome.run.state == (isKilled ? .cancelled : .succeeded))
        }
      }
      try await group.waitForAll()
    }
    try await expectNothing(leftIn: host, engines)
    await host.close()
  }
}

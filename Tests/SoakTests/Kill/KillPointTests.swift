import Foundation
import OperationsTesting
import Testing

extension Soak {
  @Suite("A host killed at any of its writes loses no occasion and repeats nothing") struct KillPointTests {
    /// The number of simultaneous workspaces: hosts mostly wait for the next second.
    private static let lanes = 3

    @Test("at each transaction", arguments: KillPoints.Beginning.allCases)
    func commits(_ beginning: KillPoints.Beginning) async throws {
      let kills = try await play(beginning, every: Soak.isFull ? 1 : 4, countsWrites: false)
      #expect(kills > 3)
    }

    @Test("at each write within a transaction", arguments: KillPoints.Beginning.allCases)
    func writes(_ beginning: KillPoints.Beginning) async throws {
      let kills = try await play(beginning, every: Soak.isFull ? 1 : 30, countsWrites: true)
      #expect(kills > 0)
    }

    private func play(_ beginning: KillPoints.Beginning, every stride: Int, countsWrites: Bool) async throws -> Int {
      let faults = try await HostFaults.shared
      var random = SeededRandom(seed: Soak.seed)
      let offset = Int.random(in: 1...stride, using: &random)
      return try await withThrowingTaskGroup(of: Int.self) { group in
        for lane in 0..<Self.lanes {
          group.addTask {
            try await KillPoints(
              beginning, first: offset + lane * stride, step: stride * Self.lanes, countsWrites: countsWrites, faults
            ).play()
          }
        }
        return try await group.reduce(0, +)
      }
    }

    @Test("a command killed while it requests a run has either requested it or not")
    func start() async throws {
      let scratch = try Scratch()
      try scratch.directory("pipelines")
      let effects = try scratch.directory("effects")
      try scratch.write(
        "name: asked\noperations: [{ name: work, run: '\(ServedWorkspace.effect(in: effects))' }]",
        to: "pipelines/asked.yaml")
      let tool = Tool(scratch: scratch, limit: .seconds(60))
      let served = ServedWorkspace(tool, effects: effects)
      try await serve(tool, served)
      let deadly = try await HostFaults.shared.kill(tool, control: scratch("control"), commits: false, any: true)
      var point = 1
      while true {
        try scratch.write("\(point)", to: "control")
        let ending = try await deadly.run("start", "asked", "--quiet")
        let breaches = try served.breaches()
        #expect(breaches == [], "write \(point): \(contents(of: scratch("control.killed")) ?? "none")")
        guard ending.signal == SIGKILL else {
          #expect(ending.code == 0, ending.summary)
          break
        }
        point += 1
      }
      #expect(point > 5)
      let wanted = try served.probe().value("SELECT count(*) FROM occasions")
      try await serve(tool, served)
      let breaches = try served.breachesAtRest(since: [:])
      #expect(breaches == [])
      #expect(try served.probe().value("SELECT count(*) FROM runs WHERE state = 'succeeded'") == wanted)
    }

    /// Lets a host complete all work.
    private func serve(_ tool: Tool, _ served: ServedWorkspace) async throws {
      let ending = try await tool.run("serve", "pipelines") { pid, send in
        #expect(await eventually { (try? served.isIdle(pid)) == true })
        send(.terminate)
      }
      #expect(ending.code == 0, ending.summary)
    }
  }
}

import Foundation
import OperationsTesting
import RunHistory
import Testing
import Workspace

extension Soak {
  @Suite("A killed host loses no occasion") struct HostKillTests {
    /// Due every second, whether or not a host is running.
    private static let due = """
      name: due
      controllers: [{ uses: cron, with: { schedule: "* * * * * *", zone: UTC, catch_up: all } }]
      operations:
        - { name: work, run: 'echo "$PENSTOCK_RUN_ID" >> "$EFFECTS"' }
      """
    /// Runs one at a time, and takes longer than most hosts live.
    private static let alone = """
      name: alone
      overlap: queue
      operations:
        - { name: first, run: 'sleep 0.05' }
        - { name: second, needs: [first], run: 'sleep 0.05' }
      """

    @Test("every instant and every request has its run, whatever the moment of SIGKILL")
    func kills() async throws {
      let scratch = try Scratch()
      try scratch.directory("pipelines")
      try scratch.write(Self.due.replacing("$EFFECTS", with: scratch("effects")), to: "pipelines/due.yaml")
      try scratch.write(Self.alone, to: "pipelines/alone.yaml")
      let tool = Tool(scratch: scratch)
      // The first host publishes the pipelines.
      let first = try await tool.run(["serve", "pipelines"], killedAfter: .seconds(2))
      try #require(first.signal == SIGKILL, first.summary)
      var asked: Set<String> = []
      var random = SeededRandom(seed: Soak.seed)
      for _ in 0..<Soak.count(full: 60, short: 5) {
        for _ in 0..<2 {
          let start = try await tool.run("start", "alone", "--json", "--quiet")
          try #require(start.code == 0, start.summary)
          let line = try JSONSerialization.jsonObject(with: Data(start.output.utf8)) as? [String: Any]
          asked.insert(try #require(line?["run"] as? String))
        }
        let moment = Duration.milliseconds(Int.random(in: 20...1500, using: &random))
        let host = try await tool.run(["serve", "pipelines"], killedAfter: moment)
        try #require(host.signal == SIGKILL, host.summary)
      }
      // A last host completes the remaining work, and is drained.
      let wanted = asked
      let last = try await tool.run(["serve", "pipelines"]) { _, send in
        let isDone = await eventually(within: .seconds(60)) { (try? Self.isDone(wanted, tool)) ?? false }
        #expect(isDone, "not all of what was asked for was done")
        send(.terminate)
      }
      #expect(last.code == 0, last.summary)
      try check(asked, tool, scratch)
    }

    private static func isDone(_ asked: Set<String>, _ tool: Tool) throws -> Bool {
      let history = try History.openForReading(at: tool.workspacePath)
      defer { history.workspace.close() }
      let states = try asked.map { try RunID($0).flatMap { try history.run($0)?.state } }
      let waiting = try history.queue(of: "due")
      let isReady = try history.currentHost()?.state == .ready
      return isReady && states.allSatisfy { $0 == .succeeded } && waiting.isEmpty
    }

    private func check(_ asked: Set<String>, _ tool: Tool, _ scratch: Scratch) throws {
      let history = try History.openForReading(at: tool.workspacePath)
      defer { history.workspace.close() }
      let occasions = try history.occasions()
      let instants = occasions.filter { $0.pipeline == "due" }.compactMap(\.instant).sorted()
      #expect(instants.count > 3)
      let span = (instants.last?.microseconds ?? 0) - (instants.first?.microseconds ?? 0)
      #expect(instants.count == Int(span / 1_000_000) + 1, "an instant is missing, or there twice")
      #expect(Set(instants).count == instants.count)
      for occasion in occasions where occasion.outcome == .run {
        let run = try occasion.run.flatMap { try history.run($0) }
        #expect(run?.state == .succeeded || run?.state == .interrupted, "\(occasion)")
      }
      // One run for each occasion, and no other.
      let runs = try history.runs(RunFilter())
      #expect(runs.count == occasions.count { $0.run != nil })
      #expect(Set(occasions.compactMap(\.run)).count == runs.count)
      #expect(Set(runs.filter { $0.pipeline == "alone" }.map(\.id.text)) == asked)
      // Nothing that had ended was repeated.
      let effects = (contents(of: scratch("effects")) ?? "").split(separator: "\n")
      let succeeded = runs.filter { $0.pipeline == "due" && $0.state == .succeeded }
      #expect(Set(effects.map(String.init)).isSuperset(of: succeeded.map(\.id.text)))
    }
  }
}

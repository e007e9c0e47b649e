import Foundation
import OperationsTesting
import Testing

extension Soak {
  @Suite("A killed command does what it was asked to do exactly once") struct CommandKillTests {
    /// Orders are charged in a loop and packed in a nested pipeline; `deploy` needs both. The third order fails until it is repaired.
    private static let shop = """
      name: shop
      concurrency: 3
      operations:
        - { name: orders, result: [int], run: '\(CommandRound.effect); echo "[1,2,3,4,5]"' }
        - name: charge
          for_each: { in: "${{ results.orders }}", concurrency: 2 }
          inject: { order: "${{ item }}" }
          result: int
          run: |
            \(CommandRound.effect)
            sleep 0.01
            [ "$order" != 3 ] || [ -e "$SOAK_REPAIRED" ] || exit 1
            echo "$order"
        - { name: pack, pipeline: pack.yaml, params: { count: "${{ length(results.orders) }}" } }
        - { name: build, needs: [orders], run: '\(CommandRound.effect); sleep 0.02; echo built', result: string }
        - { name: deploy, needs: [build, charge, pack], run: '\(CommandRound.effect); sleep 0.01' }
        - { name: report, needs: [deploy], run: '\(CommandRound.effect)' }
      """

    private static let pack = """
      name: pack
      params: { count: { type: int } }
      order: chain
      operations:
        - { name: boxes, run: '\(CommandRound.effect); sleep 0.01; echo 2', result: int }
        - name: fill
          for_each: { in: "${{ fromJSON('[1,2,3]') }}", concurrency: 1 }
          run: '\(CommandRound.effect); sleep 0.01'
        - { name: seal, run: '\(CommandRound.effect)' }
      """

    private static let everything: Set<String> = [
      "orders", "charge[0]", "charge[1]", "charge[2]", "charge[3]", "charge[4]", "boxes", "fill[0]", "fill[1]",
      "fill[2]", "seal",
      "build", "deploy", "report",
    ]

    @Test(
      "run --only, run --from and retry run the selected operations, whatever the moment of SIGKILL",
      arguments: [
        Case(name: "run", command: ["run", "shop.yaml"], selected: everything),
        Case(name: "run --only", command: ["run", "shop.yaml", "--only", "build"], selected: ["build"]),
        Case(
          name: "run --only of a loop", command: ["run", "shop.yaml", "--only", "charge"],
          selected: everything.filter { $0.hasPrefix("charge") }),
        Case(
          name: "run --from of a nested pipeline", command: ["run", "shop.yaml", "--from", "pack"],
          selected: ["boxes", "fill[0]", "fill[1]", "fill[2]", "seal", "deploy", "report"]),
        Case(name: "retry", command: ["retry"], selected: ["charge[2]", "deploy", "report"], isRepair: true),
      ])
    func selection(_ wanted: Case) async throws {
      var kills = 0
      let target = Soak.count(full: 60, short: 4)
      var duration: Duration?
      for round in Soak.rounds(full: target * 4, short: target * 4) where kills < target {
        let scratch = try Scratch()
        try scratch.write(Self.shop, to: "shop.yaml")
        try scratch.write(Self.pack, to: "pack.yaml")
        let tool = Tool(
          scratch: scratch,
          environment: ["SOAK_EFFECTS": scratch("effects"), "SOAK_REPAIRED": scratch("repaired")])
        if wanted.name != "run" {
          if !wanted.isRepair { try scratch.write("", to: "repaired") }
          let first = try await tool.run("run", "shop.yaml", "--quiet")
          try #require(first.code == (wanted.isRepair ? 1 : 0), first.summary)
          try FileManager.default.moveItem(atPath: scratch("effects"), toPath: scratch("effects-before"))
        }
        try scratch.write("", to: "repaired")
        // The first round of each case ends undisturbed: it measures the duration, and validates the oracle.
        let began = ContinuousClock.now
        kills += try await CommandRound(
          number: round, tool: tool, command: wanted.command + ["--quiet"], selected: wanted.selected,
          duration: duration ?? .seconds(100)
        ).play()
        if duration == nil { duration = ContinuousClock.now - began }
      }
      if Soak.onlyRound == nil { #expect(kills >= target) }
    }

    @Test("a killed approval takes effect once or not at all")
    func approve() async throws {
      for round in Soak.rounds(full: 40, short: 3) {
        var random = SeededRandom(seed: Soak.seed, round: round)
        let moments = (0..<4).map { _ in Duration.microseconds(Int.random(in: 0...20_000, using: &random)) }
        let scratch = try Scratch()
        let tool = Tool(scratch: scratch, environment: ["SOAK_EFFECTS": scratch("effects")])
        let file = try scratch.write(
          """
          name: careful
          operations:
            - { name: sure, approve: "Go?" }
            - { name: go, needs: [sure], run: '\(CommandRound.effect)' }
          """, to: "careful.yaml")
        let ending = try await tool.run(["run", file, "--quiet"]) { _, _ in
          let isAsked = await eventually { (try? Self.state(of: "sure", tool)) == "waiting" }
          #expect(isAsked, Soak.place(round))
          for moment in moments { _ = try await tool.run(["approve", "last", "--quiet"], killedAfter: moment) }
          // Already answered by one of the killed commands, or answered now.
          _ = try await tool.run("approve", "last", "--quiet")
        }
        #expect(ending.code == 0, "\(ending.summary); \(Soak.place(round))")
        #expect(contents(of: scratch("effects"))?.split(separator: "\n").count == 1, Soak.place(round))
        try tool.expectRest(Soak.place(round))
      }
    }

    @Test("a killed history prune loses nothing of the runs that it keeps")
    func prune() async throws {
      let scratch = try Scratch()
      let tool = Tool(
        scratch: scratch, environment: ["SOAK_EFFECTS": scratch("effects"), "SOAK_REPAIRED": scratch("repaired")])
      try scratch.write("", to: "repaired")
      try scratch.write(Self.shop, to: "shop.yaml")
      try scratch.write(Self.pack, to: "pack.yaml")
      for round in Soak.rounds(full: 40, short: 3) {
        var random = SeededRandom(seed: Soak.seed, round: round)
        for _ in 0..<3 {
          let ending = try await tool.run("run", "shop.yaml", "--quiet")
          #expect(ending.code == 0, ending.summary)
        }
        for _ in 0..<4 {
          let moment = Duration.microseconds(Int.random(in: 0...30_000, using: &random))
          _ = try await tool.run(["history", "prune", "--keep", "1", "--quiet"], killedAfter: moment)
          let probe = try HistoryProbe(tool.workspacePath)
          #expect(try probe.breaches() == [], Soak.place(round))
          let latest = try probe.value("SELECT state FROM runs WHERE parent IS NULL ORDER BY id DESC LIMIT 1")
          #expect(latest == "succeeded", Soak.place(round))
        }
        let last = try await tool.run("history", "prune", "--keep", "1", "--quiet")
        #expect(last.code == 0, "\(last.summary); \(Soak.place(round))")
        let probe = try HistoryProbe(tool.workspacePath)
        #expect(try probe.value("SELECT count(*) FROM runs WHERE parent IS NULL") == "1", Soak.place(round))
        // The remaining directories belong to remaining runs.
        let known = Set(try probe.rows("SELECT id FROM runs").map { $0[0] })
        let directories = try FileManager.default.contentsOfDirectory(atPath: tool.workspacePath + "/runs")
        #expect(Set(directories).subtracting(known) == [], Soak.place(round))
        try tool.expectRest(Soak.place(round))
      }
    }

    private static func state(of operation: String, _ tool: Tool) throws -> String? {
      guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db") else { return nil }
      return try HistoryProbe(tool.workspacePath).value("SELECT state FROM operations WHERE operation = '\(operation)'")
    }
  }
}

extension Soak.CommandKillTests {
  /// A command, and the operations that it should run.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var command: [String]
    var selected: Set<String>
    /// Whether the run before it fails and is then repaired.
    var isRepair = false

    var testDescription: String { name }
  }
}

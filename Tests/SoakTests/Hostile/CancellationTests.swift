import Foundation
import OperationsTesting
import Subprocess
import Testing

extension Soak {
  @Suite("A run can be cancelled at any moment") struct CancellationTests {
    @Test("whatever the moment of the signal, the history ends cleanly and retry completes the rest")
    func randomMoments() async throws {
      let scratch = try Scratch()
      var random = SeededRandom(seed: Soak.seed, round: -3)
      let diamond = DiamondPipeline(random: &random)
      let file = try scratch.write(diamond.text, to: "diamond.yaml")
      try scratch.write(diamond.nested, to: "inner.yaml")
      for round in Soak.rounds(full: 40, short: 4) {
        var random = SeededRandom(seed: Soak.seed, round: round)
        let moment = Duration.milliseconds(Int.random(in: 0...900, using: &random))
        let signal = random.element(of: [Signal.interrupt, .terminate, .terminalClosed])
        let isUrgent = random.oneIn(3)
        let effects = try scratch.directory("effects-\(round)")
        let tool = Tool(scratch: scratch, workspace: "space-\(round)", environment: ["SOAK_EFFECTS": effects])
        let ending = try await tool.run("run", file, "--quiet") { _, send in
          try await Task.sleep(for: moment)
          send(signal)
          if isUrgent { send(signal) }
        }
        if ending.code == nil {
          // The signal arrived before the tool could handle it.
          #expect(ending.signal == signal.rawValue, "\(ending.summary.rawValue); \(Soak.place(round).rawValue)")
          continue
        }
        #expect([0, 130].contains(ending.code), "\(ending.summary.rawValue); \(Soak.place(round).rawValue)")
        if contents(of: tool.workspacePath + "/workspace.db") != nil { try tool.expectRest(Soak.place(round)) }
        // The signal may also arrive before the run exists; then nothing is recorded, and the tool says so.
        guard ending.code == 130, !ending.error.contains("before the run began") else { continue }
        let run = try #require(try HistoryProbe(tool.workspacePath).value("SELECT id FROM runs WHERE parent IS NULL"))
        let retried = try await tool.run("retry", run, "--quiet")
        #expect(retried.code == 0, "\(retried.summary.rawValue); \(Soak.place(round).rawValue)")
        #expect(contents(of: effects + "/overlaps") == nil, Soak.place(round))
        try tool.expectRest(Soak.place(round))
      }
    }
  }
}

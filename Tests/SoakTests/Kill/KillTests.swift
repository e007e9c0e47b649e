import Foundation
import OperationsTesting
import Testing

extension Soak {
  @Suite("A host killed at any moment loses nothing and repeats nothing") struct KillTests {
    @Test("whatever the moment of SIGKILL, resume continues from the last durable result")
    func killAndResume() async throws {
      let scratch = try Scratch()
      var random = SeededRandom(seed: Soak.seed, round: -1)
      let diamond = DiamondPipeline(random: &random)
      let file = try scratch.write(diamond.text, to: "diamond.yaml")
      try scratch.write(diamond.nested, to: "inner.yaml")

      var reference = try await undisturbed(file, in: scratch)
      let wanted = Soak.count(full: 200, short: 15)
      var kills = 0
      var round = Soak.onlyRound ?? 0
      // A kill after the end does not count, so the number of rounds is unknown; it is never much larger than that of kills.
      while kills < wanted, round < wanted * 4, Soak.onlyRound == nil || Soak.onlyRound == round {
        // Several rounds share a workspace, so that hosts find both empty workspaces and those with runs.
        let killed = KillRound(
          number: round, file: file, scratch: scratch, workspace: "space-\(round / 4)", reference: reference)
        kills += try await killed.play()
        if let latest = killed.undisturbedDuration { reference.duration = latest }
        round += 1
        if killed.hasFailed { break }
      }
      if Soak.onlyRound == nil { #expect(kills >= wanted) }
    }

    private func undisturbed(_ file: String, in scratch: Scratch) async throws -> KillRound.Reference {
      let effects = try scratch.directory("effects-undisturbed")
      let tool = Tool(scratch: scratch, workspace: "undisturbed", environment: ["SOAK_EFFECTS": effects])
      let began = ContinuousClock.now
      let ending = try await tool.run("run", file, "--quiet")
      let duration = ContinuousClock.now - began
      try #require(ending.code == 0, ending.summary)
      let probe = try HistoryProbe(tool.workspacePath)
      #expect(try probe.breachesAtRest() == [])
      let run = try #require(try probe.value("SELECT id FROM runs WHERE parent IS NULL"))
      let results = try KillRound.results(of: run, in: probe, workspace: tool.workspacePath)
      // Five items and five nested operations in addition to the sixty.
      #expect(results.count == 60 + 5 + 5)
      return KillRound.Reference(results: results, duration: duration)
    }
  }
}

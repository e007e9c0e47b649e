import Foundation
import OperationsTesting
import Subprocess
import Testing

extension Soak {
  @Suite("A stopped host is not dead") struct StoppedHostTests {
    /// `mkdir` fails if another process runs this operation at the same time.
    private static let pipeline = """
      name: desk
      concurrency: 2
      operations:
        - { name: first, run: '\(CommandRound.effect); sleep 0.01' }
        - { name: alone, needs: [first], exclusive: desk, run: '\(CommandRound.effect); mkdir desk && sleep 0.03 && rmdir desk' }
        - { name: nested, needs: [first], pipeline: inner.yaml }
        - { name: last, needs: [alone, nested], run: '\(CommandRound.effect)' }
      """
    private static let inner = """
      name: inner
      operations:
        - { name: inside, exclusive: desk, run: '\(CommandRound.effect); mkdir desk && sleep 0.02 && rmdir desk' }
      """

    @Test("a second host takes nothing over from a stopped one, which continues where it was")
    func stopped() async throws {
      let scratch = try Scratch()
      let tool = Tool(scratch: scratch, environment: ["SOAK_EFFECTS": scratch("effects")], limit: .seconds(60))
      let file = try scratch.write(Self.pipeline, to: "desk.yaml")
      try scratch.write(Self.inner, to: "inner.yaml")
      var runs = 0
      for round in Soak.rounds(full: 60, short: 3) {
        var random = SeededRandom(seed: Soak.seed, round: round)
        let moment = Duration.microseconds(Int.random(in: 0...160_000, using: &random))
        let pause = Duration.milliseconds(Int.random(in: 50...250, using: &random))
        let ending = try await tool.run(["run", file, "--quiet"]) { _, send in
          try await Task.sleep(for: moment)
          send(.suspend)
          async let second = tool.run("run", file, "--quiet")
          try await Task.sleep(for: pause)
          // Neither command may mistake the stopped host for dead.
          let listing = try await tool.run("history", "list", "--json")
          #expect(!listing.output.contains("interrupted"), "\(listing.summary); \(Soak.place(round))")
          let resumed = try await tool.run("resume", "--quiet")
          #expect(resumed.code != 0, "\(resumed.summary); \(Soak.place(round))")
          send(.resume)
          let other = try await second
          #expect(other.code == 0, "\(other.summary); \(Soak.place(round))")
        }
        #expect(ending.code == 0, "\(ending.summary); \(Soak.place(round))")
        runs += 2
        try tool.expectRest(Soak.place(round))
      }
      let lines = (contents(of: scratch("effects")) ?? "").split(separator: "\n")
      #expect(lines.count == runs * 4, "each of four operations once in each of \(runs) runs")
      #expect(Set(lines).count == lines.count)
    }
  }
}

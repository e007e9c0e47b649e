import Foundation
import Testing

extension Soak {
  @Suite("A plugin that crashes at random costs only attempts") struct PluginKillTests {
    /// One attempt of an operation.
    private struct Attempt: Hashable {
      var operation: String
      var number: String
    }

    private static let operations = 50

    @Test("every result is correct in the end, and every crash is in the history")
    func falls() async throws {
      let scratch = try Scratch()
      let plugin = try await FlakyPlugin.compile(in: scratch)
      // Each crash doubles the pause before the next child, up to half a minute: six take 6 seconds, nine take 50.
      let limit = Soak.count(full: 9, short: 5)
      for round in Soak.rounds(full: 10, short: 1) {
        let notes = scratch("notes-\(round)")
        let file = try scratch.write(
          Self.pipeline(plugin, notes: notes, seed: Soak.seed &+ UInt64(round), limit: limit), to: "falls-\(round).yaml"
        )
        let tool = Tool(scratch: scratch, workspace: "space-\(round)", limit: .seconds(300))
        let ending = try await tool.run("run", file, "--quiet")
        #expect(ending.code == 0, "\(ending.summary)\n\(Soak.place(round))")
        let probe = try HistoryProbe(tool.workspacePath)
        #expect(try probe.breachesAtRest() == [], Soak.place(round))
        try proveResults(probe, round)
        try proveFalls(probe, notes: try #require(contents(of: notes)), limit: limit, round)
      }
    }

    /// Fifty operations: odd ones get a number, even ones the result of the one before.
    private static func pipeline(_ plugin: String, notes: String, seed: UInt64, limit: Int) -> String {
      let settings = "{ notes: \(notes), seed: \(seed % 1_000_000_007), odds: \(FlakyPlugin.odds), limit: \(limit) }"
      var text = """
        concurrency: 8
        plugins: { flaky: { path: \(plugin), isolation: process } }
        defaults: { retry: { limit: 100, backoff: constant, base: 1ms, jitter: none, on: [{ error: plugin-crashed }] } }
        operations:

        """
      for number in 1...operations {
        let requirement = number % 2 == 1 ? "\"${{ \(number) }}\"" : "step-\(number - 1)"
        text += "  - { name: step-\(number), uses: flaky, with: \(settings), inject: \(requirement) }\n"
      }
      return text
    }

    private func proveResults(_ probe: HistoryProbe, _ round: Int) throws {
      var expected: [String: String] = [:]
      for number in 1...Self.operations {
        let square = { (number: Int) in number * number % 10007 }
        expected["step-\(number)"] = "\(number % 2 == 1 ? square(number) : square(square(number - 1)))"
      }
      let rows = try probe.rows("SELECT operation, result FROM operations WHERE state = 'succeeded'")
      #expect(Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) }) == expected, Soak.place(round))
    }

    /// Compares the plugin's own notes with the history.
    private func proveFalls(_ probe: HistoryProbe, notes: String, limit: Int, _ round: Int) throws {
      let lines = notes.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
      let fallen = lines.filter { $0[0] == "fall" }
      #expect(fallen.count == limit, Soak.place(round))
      // How each process of the plugin crashed.
      let ways = Dictionary(fallen.map { ($0[3], $0[4]) }) { first, _ in first }
      #expect(ways.count == fallen.count, Soak.place(round))
      #expect(Set(ways.values) == ["SIGSEGV", "SIGABRT", "exit"], Soak.place(round))
      let begun = Dictionary(
        lines.filter { $0[0] == "begin" }.map { (Attempt(operation: $0[1], number: $0[2]), $0[3]) }
      ) { first, _ in first }

      let rows = try probe.rows(
        "SELECT operation, number, error_code, error FROM attempts WHERE state <> 'succeeded'")
      let failed = Dictionary(
        uniqueKeysWithValues: rows.map { (Attempt(operation: $0[0], number: $0[1]), (code: $0[2], message: $0[3])) })
      for line in fallen {
        let attempt = Attempt(operation: line[1], number: line[2])
        #expect(failed[attempt] != nil, "\(attempt) fell, and the history does not know; \(Soak.place(round))")
      }
      for (attempt, error) in failed {
        #expect(error.code == "plugin-crashed", "\(attempt); \(Soak.place(round))")
        // An attempt assigned to the process when it crashed may not have begun; then any crash explains it.
        let said = ways.values.filter { error.message.contains(Self.sentence(of: $0)) }
        let expected = begun[attempt].flatMap { ways[$0] }
        #expect(
          expected.map { said.contains($0) } ?? !said.isEmpty,
          "\(attempt) is said to be '\(error.message)', and fell by \(expected ?? "another's fall"); \(Soak.place(round))"
        )
      }
    }

    private static func sentence(of way: String) -> String {
      way == "exit" ? "plugin 'flaky' exited with 7 while" : "plugin 'flaky' crashed: \(way) while"
    }
  }
}

import Foundation
import OperationsTesting
import Testing

/// One command that starts a run, killed at random moments and resumed until the run has ended, with an oracle that counts side effects.
///
/// Each process of its pipelines appends a line to one file: its operation, run and attempt. Whatever the moments of the kills, that file names
/// exactly the selected operations, and none again after a durable success.
struct CommandRound {
  /// The round's number, from which its random moments are derived.
  let number: Int
  let tool: Tool
  /// The command that starts the run.
  let command: [String]
  /// The operations whose processes the run starts, and no others.
  let selected: Set<String>
  /// How long the command takes when it is not killed.
  let duration: Duration

  /// What every process of the pipelines does first.
  static let effect = #"echo "$PENSTOCK_OPERATION $PENSTOCK_RUN_ID $PENSTOCK_ATTEMPT" >>"$SOAK_EFFECTS""#

  /// Plays the round, and returns how many hosts were killed.
  func play() async throws -> Int {
    var random = SeededRandom(seed: Soak.seed, round: number)
    let before = Set(try topmostRuns())
    var kills = 0
    var run: String?
    var settled: [String: Int] = [:]
    for step in 0..<40 {
      let moment = step < 8 && !(step > 0 && random.oneIn(4)) ? randomMoment(&random) : nil
      let ending = try await tool.run(run.map { ["resume", $0, "--quiet"] } ?? command, killedAfter: moment)
      #expect(!ending.overran, "the host hangs: \(ending.summary); \(Soak.place(number))")
      run = try run ?? topmostRuns().first { !before.contains($0) }
      guard ending.signal == SIGKILL else {
        #expect(ending.code == 0, "\(ending.summary); \(Soak.place(number))")
        break
      }
      kills += 1
      guard let run else {
        try await forgetUnrecordedRun()
        continue
      }
      let probe = try HistoryProbe(tool.workspacePath)
      #expect(try probe.breaches() == [], Soak.place(number))
      settled = try compare(settled, run: run, in: probe)
      if try probe.value("SELECT state FROM runs WHERE id = '\(run)'") == "succeeded" { break }
    }
    try proveTheEnd(of: try #require(run, "no run was recorded; \(Soak.place(number))"), settled, kills: kills)
    return kills
  }

  /// Resets the round: the host was killed before its run was durable, so the command is given again once all processes that it may have started have ended.
  private func forgetUnrecordedRun() async throws {
    let file = tool.environment["SOAK_EFFECTS"] ?? ""
    let isOver = await eventually { RunningProcesses.carrying("SOAK_EFFECTS=\(file)").isEmpty }
    #expect(isOver, "processes of a run that was never recorded live on; \(Soak.place(number))")
    #expect(selected.isSuperset(of: effects().keys), Soak.place(number))
    try? FileManager.default.removeItem(atPath: file)
  }

  private func proveTheEnd(of run: String, _ settled: [String: Int], kills: Int) throws {
    let probe = try HistoryProbe(tool.workspacePath)
    #expect(try probe.breaches() == [], Soak.place(number))
    #expect(try probe.value("SELECT state FROM runs WHERE id = '\(run)'") == "succeeded", Soak.place(number))
    #expect(RunningProcesses.carrying("PENSTOCK_RUN_ID=\(run)") == [:], Soak.place(number))
    _ = try compare(settled, run: run, in: probe)
    let counts = effects()
    #expect(counts.keys.sorted() == selected.sorted(), "what ran is not what was selected; \(Soak.place(number))")
    for (name, count) in counts where count > 1 + kills {
      Issue.record("'\(name)' was started \(count) times with \(kills) kills; \(Soak.place(number))")
    }
  }

  /// Expects that nothing with a durable success has started again. Returns the number of starts of everything that has one now, by operation.
  private func compare(_ settled: [String: Int], run: String, in probe: HistoryProbe) throws -> [String: Int] {
    let counts = effects()
    for (name, count) in settled where counts[name] ?? 0 != count {
      Issue.record(
        "'\(name)' had succeeded durably after \(count) starts, and there are \(counts[name] ?? 0) now; \(Soak.place(number))"
      )
    }
    var now: [String: Int] = [:]
    for row in try probe.rows(
      """
      WITH RECURSIVE tree(id) AS (SELECT '\(run)' UNION SELECT runs.id FROM runs JOIN tree ON runs.parent = tree.id)
      SELECT operation FROM operations JOIN tree ON operations.run = tree.id WHERE state IN ('succeeded', 'reused')
      """) where selected.contains(row[0])
    {
      now[row[0]] = counts[row[0]] ?? 0
    }
    return now
  }

  /// Returns how often each operation was started.
  private func effects() -> [String: Int] {
    let lines = (contents(of: tool.environment["SOAK_EFFECTS"] ?? "") ?? "").split(separator: "\n")
    return Dictionary(lines.map { (String($0.prefix { $0 != " " }), 1) }, uniquingKeysWith: +)
  }

  private func topmostRuns() throws -> [String] {
    guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db") else { return [] }
    guard let probe = try? HistoryProbe(tool.workspacePath) else { return [] }
    return try probe.rows("SELECT id FROM runs WHERE parent IS NULL").map { $0[0] }
  }

  private func randomMoment(_ random: inout SeededRandom) -> Duration {
    .microseconds(Int64.random(in: 0...Int64(duration / .microseconds(1) * 1.1), using: &random))
  }
}

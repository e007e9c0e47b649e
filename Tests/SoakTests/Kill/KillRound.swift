import Foundation
import OperationsTesting
import Subprocess
import Testing

/// One run of the diamond that is killed and resumed until it is complete, with all checks of its result.
final class KillRound {
  /// The outcome of an undisturbed run.
  struct Reference: Sendable {
    /// Results by operation, including those of the nested run.
    var results: [String: String]
    /// From the start of the tool to its end.
    var duration: Duration
  }

  /// What was durable of one operation right after a kill.
  private struct Durable: Hashable {
    var attempts: String
    var result: String
    /// What its processes had written; nil for operations without one.
    var effect: String?
  }

  private let number: Int
  private let file: String
  private let tool: Tool
  private let effects: String
  private let reference: Reference
  private var random: SeededRandom
  private var durable: [String: Durable] = [:]
  private(set) var hasFailed = false
  /// How long the run took if it ended before it was to be killed; the computer's load varies.
  private(set) var undisturbedDuration: Duration?

  init(number: Int, file: String, scratch: Scratch, workspace: String, reference: Reference) {
    self.number = number
    self.file = file
    self.reference = reference
    random = SeededRandom(seed: Soak.seed, round: number)
    effects = scratch("effects-\(number)")
    tool = Tool(scratch: scratch, workspace: workspace, environment: ["SOAK_EFFECTS": effects])
  }

  /// Plays the round and returns how many hosts were killed.
  func play() async throws -> Int {
    try FileManager.default.createDirectory(atPath: effects, withIntermediateDirectories: true)
    let before = try runs()
    var kills = 0
    var run: String?
    for step in 0..<50 {
      // Most hosts are killed; after ten steps the run may end undisturbed.
      let moment = step < 10 && !(step > 0 && random.oneIn(4)) ? randomMoment() : nil
      let ending: Tool.Ending
      let began = ContinuousClock.now
      if let run {
        ending = try await tool.run(["resume", run, "--quiet"], killedAfter: moment)
      } else {
        ending = try await tool.run(["run", file, "--quiet"], killedAfter: moment)
      }
      check(!ending.overran, "the host hangs: \(ending.summary)")
      guard ending.signal == SIGKILL else {
        check(ending.code == 0, "the host failed: \(ending.summary)")
        if step == 0 { undisturbedDuration = ContinuousClock.now - began }
        run = try run ?? runs().subtracting(before).first
        break
      }
      kills += 1
      run = try run ?? runs().subtracting(before).first
      guard let run else {
        try await forgetUnrecordedRun()
        continue
      }
      let probe = try HistoryProbe(tool.workspacePath)
      for breach in try probe.breaches() { check(false, "after a kill: \(breach)") }
      try compareAndTakeSnapshot(of: run, in: probe)
      if try probe.value("SELECT state FROM runs WHERE id = '\(run)'") == "succeeded" { break }
    }
    guard let run else {
      check(false, "no run was recorded")
      return kills
    }
    try await proveTheEnd(of: run)
    return kills
  }

  private func randomMoment() -> Duration {
    let limit = reference.duration / .microseconds(1) * 1.1
    return .microseconds(Int64(Double.random(in: 0...limit, using: &random)))
  }

  private func runs() throws -> Set<String> {
    guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db") else { return [] }
    guard let probe = try? HistoryProbe(tool.workspacePath) else { return [] }
    return Set(try probe.rows("SELECT id FROM runs WHERE parent IS NULL").map { $0[0] })
  }

  /// Resets the round: the host was killed before its run was durable, so nothing was recorded, and the round starts again once all processes that it
  /// may have started have ended.
  private func forgetUnrecordedRun() async throws {
    let isOver = await eventually { RunningProcesses.carrying("SOAK_EFFECTS=\(effects)").isEmpty }
    check(isOver, "processes of a run that was never recorded live on")
    try FileManager.default.removeItem(atPath: effects)
    try FileManager.default.createDirectory(atPath: effects, withIntermediateDirectories: true)
  }

  // MARK: Checks

  private func proveTheEnd(of run: String) async throws {
    let left = RunningProcesses.carrying("PENSTOCK_RUN_ID=\(run)")
    check(left.isEmpty, "processes of the run are left over: \(left)")
    let probe = try HistoryProbe(tool.workspacePath)
    for breach in try probe.breachesAtRest() { check(false, "at the end: \(breach)") }
    check(try probe.value("SELECT state FROM runs WHERE id = '\(run)'") == "succeeded", "the run did not succeed")
    try compareAndTakeSnapshot(of: run, in: probe)
    let results = try Self.results(of: run, in: probe, workspace: tool.workspacePath)
    for (name, expected) in reference.results where results[name] != expected {
      check(false, "'\(name)' has \(results[name]?.prefix(80) ?? "no result") instead of \(expected.prefix(80))")
    }
    check(results.count == reference.results.count, "other operations than in the undisturbed run")
    if let overlaps = contents(of: effects + "/overlaps") { check(false, "two processes at a time of: \(overlaps)") }
    try compareNumbers(of: run, in: probe)
  }

  /// Checks that no operation with a durable success has changed since, and that none of its processes has written anything.
  private func compareAndTakeSnapshot(of run: String, in probe: HistoryProbe) throws {
    var now: [String: Durable] = [:]
    for row in try probe.rows(
      """
      SELECT run, operation, attempts, coalesce(result, ''), coalesce(result_file, '') FROM operations
      WHERE state = 'succeeded' AND (run = '\(run)' OR run IN (SELECT id FROM runs WHERE parent = '\(run)'))
      """)
    {
      now["\(row[0]) \(row[1])"] = Durable(
        attempts: row[2], result: row[3] + row[4], effect: contents(of: "\(effects)/\(row[1]).log"))
    }
    for (name, then) in durable where now[name] != then {
      check(false, "'\(name)' had succeeded durably as \(then), and is now \(now[name].map { "\($0)" } ?? "gone")")
    }
    durable = now
  }

  /// Checks that the attempt numbers that processes received agree with the history.
  private func compareNumbers(of run: String, in probe: HistoryProbe) throws {
    for row in try probe.rows(
      "SELECT operation, attempts FROM operations WHERE run = '\(run)' OR run IN (SELECT id FROM runs WHERE parent = '\(run)')"
    ) {
      guard let effect = contents(of: "\(effects)/\(row[0]).log") else { continue }
      let numbers = effect.split(separator: "\n").map { $0.split(separator: " ")[1] }.compactMap { Int($0) }
      check(numbers == numbers.sorted(), "'\(row[0])' was numbered \(numbers)")
      check(numbers.last.map(String.init) == row[1], "'\(row[0])' was numbered \(numbers), its record says \(row[1])")
    }
  }

  /// Returns the results of a run and of its nested runs by operation; for results in files, their contents.
  static func results(of run: String, in probe: HistoryProbe, workspace: String) throws -> [String: String] {
    var results: [String: String] = [:]
    for row in try probe.rows(
      """
      SELECT operation, coalesce(result, ''), coalesce(result_file, '') FROM operations
      WHERE state = 'succeeded' AND (run = '\(run)' OR run IN (SELECT id FROM runs WHERE parent = '\(run)'))
      """)
    {
      results[row[0]] = row[2].isEmpty ? row[1] : contents(of: "\(workspace)/\(row[2])") ?? "a lost file"
    }
    return results
  }

  private func check(
    _ condition: Bool, _ what: @autoclosure () -> String, at location: SourceLocation = #_sourceLocation
  ) {
    guard !condition else { return }
    hasFailed = true
    Issue.record("\(what()); \(Soak.place(number))", sourceLocation: location)
  }
}

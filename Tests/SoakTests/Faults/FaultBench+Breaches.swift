import Foundation

extension FaultBench {
  /// Returns a line for each breach. Requires that nothing is running any more.
  func breaches() throws -> [String] {
    let ledger = ledger.withLock { $0 }
    let probe = try served.probe()
    var breaches = ledger.breaches
    breaches += try served.breachesAtRest(since: ledger.settled, secondly: ["due"])
    let runs = Set(try probe.rows("SELECT id FROM runs").map { $0[0] })
    breaches += ledger.asked.filter { !runs.contains($0) }.map { "a run that was asked for is lost: \($0)" }
    let results = try probe.rows("SELECT run, operation, result FROM operations WHERE state = 'succeeded'")
    let successes = Set(results.map { "\($0[0]) \($0[1])" })
    breaches += ledger.settled.keys.filter { !successes.contains($0) }.map { "a success that is there no more: \($0)" }
    for row in results where ["first", "second"].contains(row[1]) && row[2] != "\"\(row[0])\"" {
      breaches.append("a wrong result: \(row)")
    }
    // These are never cancelled, and only the faults make them fail.
    for row in try probe.rows(
      "SELECT id, pipeline, state, reason FROM runs WHERE state <> 'succeeded' AND (pipeline IN ('due', 'crashing', 'by-hand') OR state <> 'cancelled')"
    ) where try !isWithoutRoom(row[0], of: row[1]) {
      let errors = try probe.rows("SELECT operation, error_code, error FROM operations WHERE run = '\(row[0])'")
      breaches.append("a run that has not succeeded: \(row) \(errors)")
    }
    for (pid, command) in RunningProcesses.carrying("PENSTOCK_WORKSPACE=\(tool.workspacePath)") {
      breaches.append("a process that lives on: \(pid) \(command)")
    }
    return breaches
  }

  /// Returns whether a run failed as `penstock run` does when the disk is full.
  private func isWithoutRoom(_ run: String, of pipeline: String) throws -> Bool {
    guard pipeline == "by-hand", ledger.withLock({ $0.faults[.fullDisk] }) != nil else { return false }
    let errors = try served.probe().rows("SELECT error_code, error FROM operations WHERE run = '\(run)'")
    return errors.contains { $0[0] == "file" && $0[1].contains("No space left on device") }
  }

  /// Repeats what `penstock run` had no room for: `command` is `resume` for runs whose end could not be recorded, and `retry` for failed ones.
  /// Returns a line for each run that then does not succeed.
  func repeatByHand(_ command: String, _ state: String) async throws -> [String] {
    var breaches: [String] = []
    for row in try served.probe().rows("SELECT id FROM runs WHERE pipeline = 'by-hand' AND state = '\(state)'") {
      let ending = try await tool.run(command, row[0], "--quiet")
      if ending.code != 0 { breaches.append("cannot \(command) \(row[0]): \(ending.summary)") }
    }
    return breaches
  }
}

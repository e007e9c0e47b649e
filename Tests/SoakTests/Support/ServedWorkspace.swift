import Foundation

/// The workspace of hosts as an outsider sees it: checks what must hold for its occasions, runs and processes, whatever happened to the hosts.
///
/// Processes of its pipelines begin with ``effect(in:)``, which notes in a file that they have begun.
struct ServedWorkspace {
  let tool: Tool
  /// The directory that ``effect(in:)`` was given.
  let effects: String

  /// Pipelines that no host serves, whose runs have no occasions.
  let byHand: Set<String>

  init(_ tool: Tool, effects: String, byHand: Set<String> = []) {
    self.tool = tool
    self.effects = effects
    self.byHand = byHand
  }

  /// Returns the start of a script: it notes its run, operation and attempt, and whether another process of its operation is alive.
  static func effect(in directory: String) -> String {
    #"exec 9>>"\#(directory)/$PENSTOCK_RUN_ID.$PENSTOCK_OPERATION"; flock -n 9 || echo "$PENSTOCK_RUN_ID $PENSTOCK_OPERATION" >>"\#(directory)/overlaps"; "#
      + #"echo "$PENSTOCK_RUN_ID $PENSTOCK_OPERATION $PENSTOCK_ATTEMPT" >>"\#(directory)/begun""#
  }

  /// ``byHand``, for SQL.
  private var strangers: String { byHand.map { "'\($0)'" }.joined(separator: ", ") }

  func probe() throws -> HistoryProbe { try HistoryProbe(tool.workspacePath) }

  /// Returns whether the host in process `pid` is ready, and nothing is waiting or running. Ignores runs started by hand.
  func isIdle(_ pid: Int32) throws -> Bool {
    guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db") else { return false }
    let probe = try probe()
    guard try probe.rows("SELECT pid, state FROM host_record ORDER BY number DESC LIMIT 1") == [["\(pid)", "ready"]]
    else { return false }
    return try probe.value(
      "SELECT NOT EXISTS (SELECT 1 FROM queue_entry) AND NOT EXISTS (SELECT 1 FROM run_record WHERE state IN ('queued', 'running', 'interrupted') AND pipeline NOT IN (\(strangers)))"
    ) == "1"
  }

  /// Returns whether a host has published that it serves the pipeline, and has not withdrawn it.
  func isServed(_ pipeline: String) throws -> Bool {
    try probe().value("SELECT 1 FROM pipelines WHERE name = '\(pipeline)'") != nil
  }

  /// Returns how often each operation has begun, by run and operation.
  func begun() -> [String: Int] {
    let lines = (contents(of: effects + "/begun") ?? "").split(separator: "\n")
    return Dictionary(lines.map { ($0.split(separator: " ").prefix(2).joined(separator: " "), 1) }, uniquingKeysWith: +)
  }

  /// Returns how often each operation with a durable success has begun by now, by run and operation: ``breaches(since:)`` finds those that have begun again.
  func settled() throws -> [String: Int] {
    let names = try probe().rows("SELECT run, operation FROM operations WHERE state = 'succeeded'").map {
      $0.joined(separator: " ")
    }
    // Read afterwards, because what has succeeded has begun before.
    let begun = begun()
    return Dictionary(names.map { ($0, begun[$0] ?? 0) }) { first, _ in first }
  }

  /// Checks what must hold at any time. Returns a line for each breach.
  func breaches(since settled: [String: Int] = [:]) throws -> [String] {
    let probe = try probe()
    let begun = begun()
    var breaches = try probe.breaches()
    breaches += settled.compactMap { name, count in
      begun[name] ?? 0 == count
        ? nil : "begun again after its success: \(name), \(count) times then, \(begun[name] ?? 0) now"
    }
    if let overlaps = contents(of: effects + "/overlaps") {
      breaches.append("two processes of one operation: \(overlaps)")
    }
    func expectNone(_ what: String, _ sql: String) throws {
      for row in try probe.rows(sql) { breaches.append("\(what): \(row.joined(separator: " "))") }
    }
    try expectNone(
      "an instant that is there twice",
      "SELECT pipeline, instant, count(*) FROM occasions WHERE cause = 'instant' GROUP BY pipeline, instant HAVING count(*) > 1"
    )
    try expectNone(
      "an occasion without its run",
      "SELECT pipeline, cause, instant, outcome FROM occasions WHERE outcome IN ('run', 'queued') AND run IS NULL")
    try expectNone(
      "a run without an occasion",
      """
      SELECT id, pipeline FROM runs WHERE parent IS NULL AND id NOT IN (SELECT run FROM occasions WHERE run IS NOT NULL)
        AND pipeline NOT IN (\(strangers))
      """)
    try expectNone(
      "a run of two occasions",
      "SELECT run, count(*) FROM occasions WHERE run IS NOT NULL GROUP BY run HAVING count(*) > 1")
    try expectNone(
      "a run that waits and has no place in the queue",
      "SELECT id FROM runs WHERE state = 'queued' AND id NOT IN (SELECT run FROM queue)")
    let runs = Set(try probe.rows("SELECT id FROM runs").map { $0[0] })
    for name in begun.keys where !runs.contains(String(name.prefix { $0 != " " })) {
      breaches.append("a process without a run: \(name)")
    }
    return breaches
  }

  /// Checks what must also hold once the last host has completed all work and was drained. The pipelines in `secondly` were due each second, and must
  /// have no gaps.
  func breachesAtRest(since settled: [String: Int], secondly: [String] = []) throws -> [String] {
    let probe = try probe()
    var breaches = try breaches(since: settled) + probe.breachesAtRest()
    for row in try probe.rows("SELECT run, pipeline FROM queue") { breaches.append("left in the queue: \(row)") }
    for pipeline in secondly { breaches += try gaps(of: pipeline) }
    // Each process of a success has left its note. Plugins leave none.
    let begun = begun()
    for row in try probe.rows("SELECT run, operation FROM operations WHERE state = 'succeeded'")
    where row[1] != "plugin" {
      if begun[row.joined(separator: " ")] == nil { breaches.append("succeeded without a process: \(row)") }
    }
    let runs = Set(try probe.rows("SELECT id FROM runs").map { $0[0] })
    for (pid, run) in RunningProcesses.values(of: "PENSTOCK_RUN_ID") where runs.contains(run) {
      breaches.append("a process that lives on: \(pid) of \(run)")
    }
    return breaches
  }

  /// Returns a line for each gap between the latest 9,000 instants of a pipeline that is due each second: older instants are kept only if they have a run.
  func gaps(of pipeline: String) throws -> [String] {
    let instants = try probe().rows(
      "SELECT CAST(strftime('%s', instant) AS INTEGER) FROM occasions WHERE cause = 'instant' AND pipeline = '\(pipeline)' ORDER BY instant DESC LIMIT 9000"
    ).compactMap { Int($0[0]) }
    return zip(instants, instants.dropFirst()).compactMap { next, former in
      next == former + 1 ? nil : "instants of '\(pipeline)' are missing after \(former), before \(next)"
    }
  }
}

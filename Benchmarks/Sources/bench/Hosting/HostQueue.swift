import Glibc

/// Runs that are queued in a workspace without a host: the tool queues one, so that its rows are its own, and SQL multiplies these.
struct HostQueue {
  let site: HostSite
  let tool: Tool

  /// Queues runs of a pipeline that a host has served.
  func fill(_ pipeline: String, count: Int) throws {
    guard count > 0 else { return }
    try tool.ask(["start", pipeline, "--quiet"], of: site)
    let database = try SQLiteFile(path: site.workspace + "/workspace.db")
    defer { database.close() }
    try database.execute("PRAGMA synchronous = OFF; BEGIN")
    let run = "(SELECT max(number) FROM run_record WHERE pipeline = '\(pipeline)' AND state = 'queued')"
    let number = try database.numbers("SELECT \(run)").first.map { Int($0) } ?? 0
    try copy("queue_entry", in: database, condition: "run = \(number)", ["run": "run + i"], count)
    try copy(
      "occasion", in: database, condition: "run = \(number)",
      ["number": "(SELECT max(number) FROM occasion) + i", "run": "run + i"], count)
    try copy(
      "run_record", in: database, condition: "number = \(number)",
      ["number": "number + i", "id": Self.identity("number + i")], count)
    try database.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func copy(
    _ table: String, in database: SQLiteFile, condition: String, _ changes: [String: String], _ count: Int
  ) throws {
    let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
    guard changes.keys.allSatisfy(columns.contains) else {
      throw BenchError("\(table) has changed; the benchmark of hosts must be adapted")
    }
    let values = columns.map { "\(changes[$0] ?? $0)" }.joined(separator: ", ")
    try database.execute(
      """
      WITH RECURSIVE distance(i) AS (SELECT 1 WHERE \(count) > 1 UNION ALL SELECT i + 1 FROM distance WHERE i < \(count - 1))
      INSERT INTO \(table) (\(columns.joined(separator: ", ")))
      SELECT \(values) FROM distance CROSS JOIN (SELECT * FROM \(table) WHERE \(condition))
      """)
  }

  /// The id of a run as SQL: the second of the first one, and a number of its own in place of what is random.
  private static func identity(_ number: String) -> String {
    "substr(id, 1, 6) || "
      + (0..<6).map { "substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + ((\(number)) >> \(5 * (5 - $0)) & 31), 1)" }
      .joined(separator: " || ")
  }
}

extension Tool {
  /// Runs a command on the workspace of a host, as another process does.
  func ask(_ arguments: [String], of site: HostSite) throws {
    let command = try ChildProcess(program, arguments + ["--workspace", site.workspace], output: site.output)
    let status = command.wait()
    guard status == 0 else {
      let words = arguments.joined(separator: " ")
      throw BenchError("penstock \(words) ended with \(status): \(KernelFile.text(site.output).suffix(2000))")
    }
  }
}

/// What a host has recorded, read while it runs.
final class HostHistory {
  private let host: ServedHost
  private let database: SQLiteFile

  init(of host: ServedHost) throws {
    self.host = host
    database = try SQLiteFile(path: host.site.workspace + "/workspace.db", isReadOnly: true)
  }

  deinit { database.close() }

  func numbers(_ query: String) throws -> [Double] { try database.numbers(query) }
  func texts(_ query: String) throws -> [String] { try database.texts(query) }
  func number(_ query: String) throws -> Double { try database.numbers(query).first ?? 0 }

  /// Returns when a query has that answer, at least.
  func wait(until query: String, is number: Int, seconds: Double = 300) throws {
    let deadline = WallClock.seconds + seconds
    while try self.number(query) < Double(number) {
      try host.expectLiving()
      guard WallClock.seconds < deadline else {
        throw BenchError("after \(Int(seconds)) s there is no \(number) of: \(query)")
      }
      usleep(20_000)
    }
  }
}

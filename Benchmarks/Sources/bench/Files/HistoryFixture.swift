import CLibSQLite
import FoundationEssentials
import WorkloadFiles

/// A workspace with a long history, made once and kept.
///
/// The tool runs a pipeline once, so that the schema and the rows are its own; SQL then multiplies these rows.
struct HistoryFixture: Sendable {
  /// How much there is in it.
  struct Shape: Sendable {
    /// The operations of each run.
    var width: Int
    /// The runs, the one of the tool included.
    var runs: Int
    /// How long after the one before each run began, in microseconds.
    var distance: Int

    /// A million attempts in few, large runs: one a minute for a week.
    static let millionAttempts = Shape(width: 100, runs: 10_000, distance: 60_000_000)
    /// A million small runs within thirty days.
    static let millionRuns = Shape(width: 2, runs: 1_000_000, distance: 2_592_000)
  }

  /// Counted up when the rows change.
  private static let generation = 2

  let shape: Shape
  let tool: Tool
  let scratch: Scratch
  /// The directory that the workspace is kept in, which exists; an absolute path.
  let cache: String

  /// The path of the workspace; makes it first if there is none with the schema that the tool has now.
  func workspace(report: (String) -> Void) async throws -> String {
    let directory = try scratch.directory("history-template")
    let pipeline = directory + "/pipeline.yaml"
    try write(PipelineFiles.fanOut(count: shape.width, concurrency: 2), to: pipeline)
    let template = directory + "/workspace"
    try await tool.run(pipeline, workspace: template)
    let schema = try withDatabase(in: template) { database in
      try database.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").joined(separator: "\n")
    }
    let kept = "\(cache)/history-\(shape.runs)x\(shape.width)-\(Self.generation)-\(Self.hash(schema))"
    if FileManager.default.fileExists(atPath: kept) { return kept }
    report("history: making a workspace with \(shape.runs) runs and \(shape.runs * shape.width) attempts, once")
    let unfinished = kept + ".unfinished"
    try? FileManager.default.removeItem(atPath: unfinished)
    try FileManager.default.copyItem(atPath: template, toPath: unfinished)
    try withDatabase(in: unfinished) { try multiply(in: $0) }
    try FileManager.default.moveItem(atPath: unfinished, toPath: kept)
    return kept
  }

  /// Thirty days before the latest run, as a timestamp.
  func start(in workspace: String) throws -> String {
    let texts = try withDatabase(in: workspace) { database in
      try database.texts(
        "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(created_at) / 1000000.0, 'unixepoch', '-30 days') FROM run_record")
    }
    return texts.first ?? ""
  }

  private func withDatabase<T>(in workspace: String, _ body: (SQLiteFile) throws -> T) throws -> T {
    let database = try SQLiteFile(path: workspace + "/workspace.db")
    defer { database.close() }
    return try body(database)
  }

  // Each run began some time before the next one; every tenth failed at its last operation; there are twenty pipelines. What succeeded
  // took up to 40 ms more than it did, so that durations differ.
  private func multiply(in database: SQLiteFile) throws {
    let first = "(SELECT min(number) FROM run_record)"
    let back = "(\(shape.runs) - i) * \(shape.distance)"
    let failed = "i % 10 = 0"
    let lastFailed = { (key: String) in
      "CASE WHEN \(failed) AND \(key) & 4294967295 = \(shape.width - 1) THEN 'failed' ELSE state END"
    }
    let shifted = { (columns: [String]) in Dictionary(uniqueKeysWithValues: columns.map { ($0, "\($0) - \(back)") }) }
    try database.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN")
    try copy(
      "run_record", in: database, condition: "number = \(first)",
      shifted(["created_at", "started_at", "ended_at"]).merging([
        "number": "number + i",
        "id": Self.identity(microseconds: "(created_at - \(back))"),
        "pipeline": "'nightly-' || (i % 20)",
        "state": "CASE WHEN \(failed) THEN 'failed' ELSE state END",
        "ended_at": "ended_at - \(back) + i * 7919 % 40000",
        "succeeded": "succeeded - (\(failed))",
        "failed": "(\(failed))",
      ]) { $1 })
    try copy(
      "operation_record", in: database, condition: "key >> 32 = \(first)",
      shifted(["started_at"]).merging([
        "ended_at": "ended_at - \(back) + (i * 7919 + key * 31) % 40000", "key": "key + (i << 32)",
        "state": lastFailed("key"),
      ]) { $1 })
    try copy(
      "attempt_record", in: database, condition: "operation >> 32 = \(first)",
      shifted(["started_at", "ended_at"]).merging([
        "operation": "operation + (i << 32)", "state": lastFailed("operation"),
      ]) {
        $1
      })
    try database.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    let attempts = try database.texts("SELECT count(*) FROM attempts")
    guard attempts == ["\(shape.runs * shape.width)"] else {
      throw BenchError("the history's tables are not what the benchmark takes them for: \(attempts) attempts")
    }
  }

  /// Inserts the rows of the first run again for each other run, with some columns changed. The run's distance is `i`.
  private func copy(
    _ table: String, in database: SQLiteFile, condition: String, _ changes: [String: String]
  ) throws {
    let columns = try database.texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
    guard changes.keys.allSatisfy(columns.contains) else {
      throw BenchError("\(table) has changed; the history benchmark must be adapted")
    }
    let values = columns.map { "\(changes[$0] ?? $0)" }.joined(separator: ", ")
    try database.execute(
      """
      WITH RECURSIVE distance(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM distance WHERE i < \(shape.runs - 1))
      INSERT INTO \(table) (\(columns.joined(separator: ", ")))
      SELECT \(values) FROM distance CROSS JOIN \(table) WHERE \(condition)
      """)
  }

  // In SQLite, `||` binds more tightly than `%`, and `<<`, `|` and `&` bind alike.
  /// A run id as SQL: thirty bits of seconds since 2024, ten of 1/1024 s, and `i` for the random ones.
  private static func identity(microseconds: String) -> String {
    let bits =
      "(((\(microseconds) / 1000000 - 1704067200) << 30) | (((\(microseconds) % 1000000) * 1024 / 1000000) << 20) | (i % 1048576))"
    return (0..<12).map { place in
      "substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + (\(bits) >> \(5 * (11 - place)) & 31), 1)"
    }.joined(separator: " || ")
  }

  /// FNV-1a, to tell schemas apart in a file name.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0100_0000_01b3 }
    return String(hash, radix: 16)
  }
}

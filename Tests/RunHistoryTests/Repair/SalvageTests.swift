import Foundation
import SQLite
import Testing
import Workspace

@testable import RunHistory

/// What `doctor --repair` recovers from databases that SQLite can no longer read.
@Suite("Salvaging")
struct SalvageTests {
  let fixture: HistoryFixture
  var directory: String { fixture.directory }
  var database: String { directory + "/workspace.db" }

  init() throws {
    fixture = try HistoryFixture()
  }

  /// Records 400 runs with two operations and three attempts each, and leaves a single file that contains everything.
  private func recordAndClose() async throws -> [RunID] {
    let runs = try await record(0..<400)
    try await fixture.recorder.close()
    await fixture.workspace.shutdown()
    return runs
  }

  private func record(_ minutes: Range<Int>) async throws -> [RunID] {
    var runs: [RunID] = []
    for minute in minutes {
      runs.append(try await fixture.ended(at: HistoryFixture.start.advanced(by: Int64(minute) * 60_000_000)))
    }
    return runs
  }

  /// Returns the pages of a table or an index, selected by a condition on `dbstat`.
  private func pages(_ condition: String) throws -> [Int] {
    let queue = try DatabaseQueue(path: database)
    defer { try? queue.close() }
    return try queue.read { try Int.fetchAll($0, sql: "SELECT pageno FROM dbstat WHERE \(condition) ORDER BY pageno") }
  }

  private func overwrite(_ path: String, from offset: Int, with bytes: Data) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: bytes)
    try file.close()
  }

  private func damage(pages: [Int]) throws {
    for page in pages { try overwrite(database, from: (page - 1) * 4096, with: Data(repeating: 0x55, count: 4096)) }
  }

  /// Repairs, and returns the finding about the database and the resulting history.
  private func repaired(_ path: String) throws -> (finding: String, history: History) {
    var findings: [Checkup.Finding] = []
    Checkup(of: WorkspaceLocation(path: path, origin: .option), isRepairing: true).run { findings.append($0) }
    let found = findings.filter { $0.subject == "database" }
    #expect(found.map(\.grade) == [.fixed], "\(findings)")
    let history = try History.open(at: path, mode: .readWrite)
    #expect(try history.workspace.checkIntegrity().isEmpty)
    return (found.first?.message ?? "", history)
  }

  private func counts(_ history: History) throws -> [Int] {
    // No entry of an index is taken for a row of one of the other tables.
    for table in [
      "approval", "request", "occasion", "queue_entry", "pause", "former_pause", "plugin_value", "lease_record",
    ] {
      #expect(try history.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") } == 0, "\(table)")
    }
    return try ["run_record", "operation_record", "attempt_record", "definition"].map { table in
      try history.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }
  }

  private static let everything = [400, 800, 1200, 1]

  @Test("recovers everything if only the file's header or the page that contains it is lost", arguments: [100, 4096])
  func header(bytes: Int) async throws {
    let runs = try await recordAndClose()
    let whole = try History.open(at: directory, mode: .readOnly)
    let before = try exported(whole)
    whole.workspace.close()
    try overwrite(database, from: 0, with: Data(repeating: 0x55, count: bytes))
    let (finding, history) = try repaired(directory)
    defer { history.workspace.close() }
    #expect(finding.contains("(400 runs, 800 operations, 1200 attempts)"), "\(finding)")
    #expect(try counts(history) == Self.everything)
    #expect(try history.runs().map(\.id) == runs.reversed())
    #expect(try exported(history) == before)
  }

  private func exported(_ history: History) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    try history.export(RunFilter(includesNested: true)) { lines.append($0) }
    return lines
  }

  @Test("reports how many rows it has read that belong to lost runs")
  func strays() async throws {
    _ = try await recordAndClose()
    let lost = try #require(try pages("name = 'run_record' AND pagetype = 'leaf'").dropFirst().first)
    try damage(pages: [lost])
    let (finding, history) = try repaired(directory)
    defer { history.workspace.close() }
    let saved = try counts(history)
    let gone = 400 - saved[0]
    #expect(gone > 0 && saved == [400 - gone, 800 - 2 * gone, 1200 - 3 * gone, 1])
    #expect(
      finding.contains("\(2 * gone) operations and \(3 * gone) attempts were lost because their run"), "\(finding)")
  }

  @Test("gives the same advice, whichever check meets the damage first")
  func advice() async throws {
    _ = try await recordAndClose()
    try damage(pages: try pages("name IN ('run_record', 'run_by_state') AND pagetype = 'leaf'"))
    var findings: [Checkup.Finding] = []
    Checkup(of: WorkspaceLocation(path: directory, origin: .option)).run { findings.append($0) }
    let failures = findings.filter { $0.grade == .fail && ["workspace", "database", "records"].contains($0.subject) }
    #expect(!failures.isEmpty && failures.allSatisfy { $0.message.contains("doctor --repair") }, "\(findings)")
    #expect(!findings.contains { $0.message.contains("Move it away") }, "\(findings)")
  }

  @Test("recovers everything if the list of tables is lost")
  func schema() async throws {
    _ = try await recordAndClose()
    try damage(pages: try pages("name = 'sqlite_schema'"))
    let history = try repaired(directory).history
    defer { history.workspace.close() }
    #expect(try counts(history) == Self.everything)
  }

  @Test("recovers rows of an earlier version, which have fewer columns")
  func earlierRows() async throws {
    let current = HistorySchema.schema
    let first = WorkspaceSchema(applicationID: current.applicationID, migrations: Array(current.migrations.prefix(1)))
    let path = directory + "/earlier"
    let former = try OpenWorkspace.open(at: path, schema: first, mode: .readWrite)
    try await former.write { db in
      try db.execute(
        sql: """
          INSERT INTO definition (hash, text) VALUES ('h', 'text');
          INSERT INTO run_record (id, pipeline, definition, params, trigger, host, user, version, boot, pid, process_started,
            state, created_at, operations, succeeded, failed, skipped, cancelled, reused)
            VALUES ('r', 'p', 1, '{}', 'manual', 'h', 'u', '0', 'b', 1, 1, 'succeeded', 1, 1, 1, 0, 0, 0, 0);
          INSERT INTO operation_record (key, name, position, state, attempts) VALUES (1 << 32, 'a', 0, 'succeeded', 2);
          INSERT INTO attempt_record (operation, number, state, started_at)
            VALUES (1 << 32, 1, 'failed', 1), (1 << 32, 2, 'succeeded', 2);
          """)
    }
    await former.shutdown()
    try await History.open(at: path, mode: .readWrite).workspace.shutdown()
    let queue = try DatabaseQueue(path: path + "/workspace.db")
    let schema = try queue.read { try Int.fetchAll($0, sql: "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'") }
    try queue.close()
    for page in schema {
      try overwrite(path + "/workspace.db", from: (page - 1) * 4096, with: Data(repeating: 0x55, count: 4096))
    }
    let history = try repaired(path).history
    defer { history.workspace.close() }
    #expect(try counts(history) == [1, 1, 2, 1])
  }

  @Test(
    "recovers every row if only the interior pages of a table are lost",
    arguments: ["operation_record", "attempt_record", "run_record"])
  func interior(table: String) async throws {
    _ = try await recordAndClose()
    let lost = try pages("name = '\(table)' AND pagetype = 'internal'")
    try #require(!lost.isEmpty)
    // In a table without row numbers, each interior page also holds the rows that separate the pages below it.
    let queue = try DatabaseQueue(path: database)
    let rows = try queue.read { db in
      try Int.fetchOne(
        db,
        sql: "SELECT sum(ncell) FROM dbstat WHERE pageno IN (\(lost.map(String.init).joined(separator: ", ")))") ?? 0
    }
    try queue.close()
    try damage(pages: lost)
    let history = try repaired(directory).history
    defer { history.workspace.close() }
    var expected = Self.everything
    if table == "attempt_record" { expected[2] -= rows }
    #expect(try counts(history) == expected)
  }

  @Test("recovers the remaining part of a truncated file")
  func truncated() async throws {
    _ = try await recordAndClose()
    let size = try #require(try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int)
    let kept = size / 4096 * 2 / 3
    let leaves = try pages("name = 'run_record' AND pagetype = 'leaf' AND pageno <= \(kept)")
    let queue = try DatabaseQueue(path: database)
    let rows = try queue.read { db in
      try Int.fetchOne(
        db, sql: "SELECT sum(ncell) FROM dbstat WHERE pageno IN (\(leaves.map(String.init).joined(separator: ", ")))")
        ?? 0
    }
    try queue.close()
    try #require(rows > 0 && rows < 400)
    // In the middle of a page.
    #expect(truncate(database, kept * 4096 + 99) == 0)
    let history = try repaired(directory).history
    defer { history.workspace.close() }
    let saved = try counts(history)
    #expect(saved[0] == rows)
    #expect(saved[1] > 0 && saved[1] <= 2 * rows && saved[2] > 0 && saved[2] <= 3 * rows)
  }

  @Test("recovers what had not been moved out of the write-ahead log, and ignores anything after its end")
  func log() async throws {
    _ = try await record(0..<200)
    try fixture.workspace.vacuum()
    let schema = try pages("name = 'sqlite_schema'")
    _ = try await record(200..<400)
    // A copy of the files while the log is in use, as after a power failure.
    let copy = directory + "-copy"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: copy) }
    for name in ["workspace.db", "workspace.db-wal"] {
      try FileManager.default.copyItem(atPath: "\(directory)/\(name)", toPath: "\(copy)/\(name)")
    }
    let log = try #require(
      try FileManager.default.attributesOfItem(atPath: copy + "/workspace.db-wal")[.size] as? Int)
    try #require(log > 100 * 4096)
    try overwrite(copy + "/workspace.db-wal", from: log, with: Data((0..<40_000).map { UInt8($0 % 251) }))
    let pages = try #require(DatabasePages(path: copy + "/workspace.db"))
    let shapes = (1...pages.count).filter { pages.page($0).isEmpty }
    #expect(shapes.isEmpty)
    for page in schema { try overwrite(copy + "/workspace.db", from: (page - 1) * 4096, with: Data(count: 4096)) }
    let history = try repaired(copy).history
    defer { history.workspace.close() }
    #expect(try counts(history) == Self.everything)
  }

  @Test(
    "does not change a sound database, whatever its log or the log's index contains", arguments: ["-wal", "-shm"])
  func garbage(suffix: String) async throws {
    let runs = try await recordAndClose()
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 167) })
    try bytes.write(to: URL(fileURLWithPath: database + suffix))
    var findings: [Checkup.Finding] = []
    Checkup(of: WorkspaceLocation(path: directory, origin: .option), isRepairing: true).run { findings.append($0) }
    #expect(findings.allSatisfy { $0.grade == .ok || $0.grade == .warn }, "\(findings)")
    let history = try History.open(at: directory, mode: .readWrite)
    defer { history.workspace.close() }
    #expect(try history.runs().map(\.id) == runs.reversed())
    #expect(try counts(history) == Self.everything)
  }

  @Test("does not restore deleted rows as long as the unused pages are known")
  func forgotten() async throws {
    _ = try await record(0..<400)
    // As if SQLite was built without overwriting deleted content.
    try fixture.history.write { try $0.execute(sql: "PRAGMA secure_delete = OFF") }
    _ = try fixture.history.prune(PruneRule(keep: 100))
    try await fixture.recorder.close()
    await fixture.workspace.shutdown()
    try damage(pages: try pages("name = 'operation_record' AND pagetype = 'internal'"))
    let history = try repaired(directory).history
    defer { history.workspace.close() }
    #expect(try counts(history) == [100, 200, 300, 1])
  }

  @Test("survives random damage, and mistakes nothing for a row")
  func random() async throws {
    _ = try await recordAndClose()
    let size = try #require(try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int)
    let original = try Data(contentsOf: URL(fileURLWithPath: database))
    for seed in 1...12 as ClosedRange<UInt64> {
      var state = seed &* 0x9E37_79B9_7F4A_7C15
      func next() -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33)
      }
      var bytes = original
      for _ in 0..<60 { bytes[next() % size] = UInt8(truncatingIfNeeded: next()) }
      for _ in 0..<10 {
        let page = next() % (size / 4096) * 4096
        for place in page..<page + 4096 { bytes[place] = UInt8(truncatingIfNeeded: next()) }
      }
      let copy = "\(directory)-\(seed)"
      let target = "\(directory)-\(seed)-saved"
      defer {
        try? FileManager.default.removeItem(atPath: copy)
        try? FileManager.default.removeItem(atPath: target)
      }
      try bytes.write(to: URL(fileURLWithPath: copy))
      let history = try History.open(at: target, mode: .readWrite)
      defer { history.workspace.close() }
      let pages = try #require(DatabasePages(path: copy))
      try PageSalvage(pages: pages, target: history).run()
      #expect(try history.workspace.checkIntegrity().isEmpty)
      let saved = try counts(history)
      #expect(zip(saved, Self.everything).allSatisfy { $0 <= $1 + 60 } && saved[1] > 0, "\(saved)")
    }
  }
}

import Foundation
import SQLite
import Testing
import Workspace

@testable import RunHistory

@Suite("Repairing")
struct RepairTests {
  let fixture: HistoryFixture
  var directory: String { fixture.directory }
  var database: String { directory + "/workspace.db" }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func checkup(repair: Bool) -> [Checkup.Finding] {
    var findings: [Checkup.Finding] = []
    let location = WorkspaceLocation(path: directory, origin: .option)
    Checkup(of: location, isRepairing: repair).run { findings.append($0) }
    return findings
  }

  private func texts(_ findings: [Checkup.Finding], _ subject: String) -> [String] {
    findings.filter { $0.subject == subject }.map { "\($0.grade.rawValue): \($0.message)" }
  }

  /// Records this many runs, and leaves a single file that contains everything.
  private func recordAndClose(_ count: Int) async throws -> [RunID] {
    var runs: [RunID] = []
    for minute in 0..<count {
      runs.append(try await fixture.ended(at: HistoryFixture.start.advanced(by: Int64(minute) * 60_000_000)))
    }
    try await fixture.recorder.close()
    await fixture.workspace.shutdown()
    return runs
  }

  @Test("a process that holds a lock on a file is found by the lock, because its descriptors may be hidden")
  func lockHolder() throws {
    let path = directory + "/locked"
    try Data("text".utf8).write(to: URL(fileURLWithPath: path))
    #expect(OpenFiles.lockHolder(of: path) == nil)
    let other = Process()
    let (input, output) = (Pipe(), Pipe())
    other.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    other.arguments = [
      "python3", "-c",
      "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.lockf(f, fcntl.LOCK_SH, 1, 128); print('x', flush=True); sys.stdin.read()",
      path,
    ]
    other.standardInput = input
    other.standardOutput = output
    try other.run()
    _ = output.fileHandleForReading.availableData
    #expect(OpenFiles.lockHolder(of: path) == other.processIdentifier)
    try input.fileHandleForWriting.close()
    other.waitUntilExit()
    #expect(OpenFiles.lockHolder(of: path) == nil)
  }

  /// Returns the leaf pages of a table, from the second one on.
  private func leaves(of table: String) throws -> [Int] {
    let queue = try DatabaseQueue(path: database)
    defer { try? queue.close() }
    return try queue.read {
      try Int.fetchAll(
        $0, sql: "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", arguments: [table])
    }
  }

  /// Returns the number of rows on these pages.
  private func rows(on pages: [Int]) throws -> Int {
    let queue = try DatabaseQueue(path: database)
    defer { try? queue.close() }
    let list = pages.map(String.init).joined(separator: ", ")
    return try queue.read {
      try Int.fetchOne($0, sql: "SELECT sum(ncell) FROM dbstat WHERE pageno IN (\(list))") ?? 0
    }
  }

  private func pageCount() throws -> Int {
    let size = try FileManager.default.attributesOfItem(atPath: database)[.size] as? Int
    return try #require(size) / 4096
  }

  /// Overwrites pages with bytes that are not a valid page.
  private func damage(pages: [Int]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: database))
    for page in pages {
      try file.seek(toOffset: UInt64(page - 1) * 4096)
      try file.write(contentsOf: Data(repeating: 0x55, count: 4096))
    }
    try file.close()
  }

  @Test("finds nothing to do in a sound workspace")
  func sound() async throws {
    _ = try await recordAndClose(3)
    #expect(checkup(repair: true).filter { $0.grade == .fixed || $0.grade == .fail }.isEmpty)
    #expect(texts(checkup(repair: false), "leases") == ["ok: none of a process that is gone"])
  }

  @Test("marks the runs of dead hosts, and releases their leases")
  func deadHosts() async throws {
    let run = try await fixture.abandoned()
    try fixture.history.write { db in
      _ = try Leases.acquire("exclusive:disk", holder: "x", owner: HistoryFixture.deadOwner, in: db)
      _ = try Leases.acquire("exclusive:mine", holder: "x", in: db)
    }
    let before = checkup(repair: false)
    #expect(texts(before, "hosts").first?.hasPrefix("fixed: 1 run ") == true)
    #expect(texts(before, "leases").first?.hasPrefix("warn: 1 lease of hosts that are gone (exclusive:disk)") == true)
    let after = checkup(repair: true)
    #expect(texts(after, "hosts") == [])
    #expect(texts(after, "leases").first?.hasPrefix("fixed: 1 lease ") == true)
    #expect(try fixture.rows("SELECT state FROM runs WHERE id = '\(run)'") == [[.text("interrupted")]])
    #expect(try fixture.rows("SELECT name FROM leases") == [[.text("exclusive:mine")]])
  }

  @Test("removes results left behind by a dead host, even without --repair", arguments: [false, true])
  func leftoverResults(repair: Bool) async throws {
    let run = try await fixture.abandoned()
    let place = "\(directory)/runs/\(run)"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    for name in ["1.result", "1.out"] {
      #expect(FileManager.default.createFile(atPath: "\(place)/\(name)", contents: Data("secret".utf8)))
    }
    #expect(texts(checkup(repair: repair), "hosts").first?.hasPrefix("fixed: 1 run ") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["1.out"])
    #expect(try fixture.rows("SELECT state FROM runs WHERE id = '\(run)'") == [[.text("interrupted")]])
  }

  @Test("does not follow a symbolic link in place of its directory")
  func linkOfRepair() async throws {
    _ = try await recordAndClose(1)
    let other = try HistoryFixture()
    other.workspace.close()
    #expect(symlink(other.directory, "\(directory)/repair-\(getpid())") == 0)
    #expect(throws: DatabaseReplacement.Failure.self) { try DatabaseReplacement(workspace: directory).run() }
    #expect(access(other.directory + "/workspace.db", F_OK) == 0)
  }

  @Test("removes the logs of old runs without a record, and nothing else")
  func orphanedLogs() async throws {
    let known = try await fixture.ended(id: try #require(RunID("2py1kkvqsamw")))
    let runs = directory + "/runs"
    let names = [known.text, "2py1kkvqsamx", RunID.generate().text, "notes"]
    for name in names {
      try FileManager.default.createDirectory(atPath: "\(runs)/\(name)", withIntermediateDirectories: true)
      #expect(FileManager.default.createFile(atPath: "\(runs)/\(name)/1.out", contents: Data("12345".utf8)))
    }
    #expect(texts(checkup(repair: false), "logs").first?.hasPrefix("warn: logs of 1 run without a record (5B)") == true)
    #expect(texts(checkup(repair: true), "logs") == ["fixed: removed logs of 1 run without a record (5B)"])
    let left = try FileManager.default.contentsOfDirectory(atPath: runs)
    #expect(Set(left) == Set(names).subtracting(["2py1kkvqsamx"]))
    #expect(texts(checkup(repair: true), "logs") == ["ok: each belongs to a run"])
  }

  @Test("rebuilds damaged indexes in place")
  func indexes() async throws {
    let runs = try await recordAndClose(20)
    let queue = try DatabaseQueue(path: database)
    try queue.write { db in
      // An index that lacks the rows, as if its pages had been lost.
      try db.execute(
        sql: """
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = 'CREATE INDEX run_by_time ON run_record (created_at) WHERE number < 0' WHERE name = 'run_by_time';
          PRAGMA writable_schema = RESET;
          """)
    }
    try queue.close()
    let again = try DatabaseQueue(path: database)
    try again.write { db in
      try db.execute(
        sql: """
          REINDEX run_by_time;
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = 'CREATE INDEX run_by_time ON run_record (created_at)' WHERE name = 'run_by_time';
          PRAGMA writable_schema = RESET;
          """)
    }
    try again.close()
    let findings = texts(checkup(repair: true), "database")
    #expect(findings.first?.hasPrefix("fixed: damaged: ") == true && findings.first?.hasSuffix("were rebuilt") == true)
    let history = try History.open(at: directory, mode: .readOnly)
    #expect(try history.runs().map(\.id) == runs.reversed())
    #expect(try history.workspace.checkIntegrity().isEmpty)
    history.workspace.close()
  }

  @Test("sets a damaged database aside and recovers every row that is not on a damaged page")
  func salvage() async throws {
    let runs = try await recordAndClose(400)
    let pages = try leaves(of: "operation_record")
    try #require(pages.count > 6)
    // Two in the middle, apart from each other, so that the pages between them are reached from neither end.
    let damaged = [pages[pages.count / 3], pages[2 * pages.count / 3]]
    let lost = try rows(on: damaged)
    try damage(pages: damaged)
    #expect(texts(checkup(repair: false), "database").first?.hasPrefix("fail: damaged: ") == true)
    let findings = texts(checkup(repair: true), "database")
    #expect(findings.count == 1 && findings.first?.hasPrefix("fixed: damaged: ") == true, "\(findings)")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory)
    #expect(names.filter { $0.hasPrefix("workspace.db.damaged-") }.count >= 1)
    #expect(names.filter { $0.hasPrefix("repair") }.isEmpty)
    let history = try History.open(at: directory, mode: .readWrite)
    #expect(try history.workspace.checkIntegrity().isEmpty)
    #expect(try history.runs().map(\.id) == runs.reversed())
    let saved = try history.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM operation_record") ?? 0 }
    #expect(lost > 0 && saved == 800 - lost, "\(saved) of 800, where \(lost) are lost")
    #expect(checkup(repair: true).allSatisfy { $0.grade != .fail && $0.grade != .fixed })
    history.workspace.close()
  }

  @Test("creates a new database if nothing can be read, and keeps the logs of the lost runs")
  func hopeless() async throws {
    let runs = try await recordAndClose(3)
    try FileManager.default.createDirectory(atPath: "\(directory)/runs/2py1kkvqsamw", withIntermediateDirectories: true)
    try damage(pages: Array(1...pageCount()))
    let findings = checkup(repair: true)
    #expect(texts(findings, "database").first?.contains("0 runs, 0 operations, 0 attempts") == true, "\(findings)")
    #expect(texts(findings, "logs").first?.hasPrefix("warn: ") == true)
    // The next repair keeps them too, as long as nothing else shows what they belonged to.
    #expect(texts(checkup(repair: true), "logs").first?.contains("the database contains no run at all") == true)
    #expect(FileManager.default.fileExists(atPath: "\(directory)/runs/2py1kkvqsamw"))
    let history = try History.open(at: directory, mode: .readOnly)
    #expect(try history.runs().isEmpty && runs.count == 3)
    history.workspace.close()
  }

  @Test("leaves alone what another program or a newer version has written")
  func foreign() async throws {
    _ = try await recordAndClose(1)
    let queue = try DatabaseQueue(path: database)
    try queue.write { try $0.execute(sql: "PRAGMA user_version = 999999") }
    try queue.close()
    let findings = checkup(repair: true)
    #expect(texts(findings, "workspace").first?.contains("newer version") == true)
    #expect(findings.filter { $0.grade == .fixed }.isEmpty)
  }

  @Test("does not replace a database that another process has open")
  func inUse() async throws {
    _ = try await recordAndClose(400)
    try damage(pages: [try #require(try leaves(of: "operation_record").dropFirst(2).first)])
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: "/bin/cat")
    let input = Pipe()
    // `cat - FILE` would open the file only after its input has ended; the shell has it open from the start.
    reader.executableURL = URL(fileURLWithPath: "/bin/sh")
    reader.arguments = ["-c", "exec 3< \"$0\"; echo open; cat", database]
    let output = Pipe()
    reader.standardInput = input
    reader.standardOutput = output
    try reader.run()
    #expect(output.fileHandleForReading.availableData.isEmpty == false)
    let findings = texts(checkup(repair: true), "database")
    try input.fileHandleForWriting.close()
    reader.waitUntilExit()
    #expect(
      findings.first?.contains("process \(reader.processIdentifier) has the database open") == true, "\(findings)")
    #expect(texts(checkup(repair: true), "database").first?.hasPrefix("fixed: ") == true)
  }
}

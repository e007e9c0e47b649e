import Foundation
import SQLite
import Testing
import Workspace

@Suite("Storing objects")
struct StoringTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
  }

  private let full = Job(
    id: "a", pipeline: "nightly", state: .failed, attempt: 3, exitCode: -7,
    endedAt: Instant(microseconds: 1_700_000_000_000_001),
    seconds: 1.5, isManual: true, ticket: "T-1",
    steps: [.init(name: "x \"y\" / z", minutes: nil), .init(name: "é", minutes: 2)],
    origin: .init(name: "o", minutes: 1), log: [0, 1, 255])

  @Test("An object round-trips with every kind of field, missing or not")
  func roundTrip() async throws {
    try await workspace.add([full, Job(id: "b")])
    #expect(try workspace.job("a") == full)
    #expect(try workspace.job("b") == Job(id: "b"))
    await workspace.shutdown()
    let again = try openJobs(directory)
    #expect(try again.fetch(for: Job.self).all().map(\.self) == [full, Job(id: "b")])
  }

  @Test("Texts keep all characters, and two spellings of a character are two keys")
  func texts() async throws {
    let ids = ["", "a\u{0}b", "a\u{0}c", "\u{e9}", "e\u{301}", "\u{10FFFF}", "'\"; DROP TABLE job; --"]
    try await workspace.add(ids.map { Job(id: $0, ticket: $0) })
    for id in ids {
      let found = try workspace.fetch(for: Job.self).where(Job.ticket == id)
      #expect(found.map { Array($0.id.utf8) } == [Array(id.utf8)])
    }
    #expect(try workspace.fetch(for: Job.self).count() == ids.count)
  }

  @Test("The sqlite3 shell sees a table with real columns")
  func columns() async throws {
    try await workspace.add([full])
    let row = try workspace.texts(
      """
      SELECT state || ' ' || attempt || ' ' || is_manual || ' ' || ended_at || ' ' || exit_code || ' ' || origin
        || ' ' || typeof(log) || ' ' || typeof(seconds) FROM job
      """)
    #expect(row == [#"failed 3 1 1700000000000001 -7 {"minutes":1,"name":"o"} blob real"#])
    let sql = try workspace.texts("SELECT name FROM sqlite_schema WHERE tbl_name = 'job'")
    #expect(Set(sql).isSuperset(of: ["job", "job_by_pipeline_state", "job_by_attempt", "job_unique_ticket"]))
  }

  @Test("Numbers that a column cannot store are refused with the field, without a crash")
  func numbers() async throws {
    let large = Counter(name: "a", count: .max, share: 0)
    let missing = Counter(name: "b", count: 1, share: .nan)
    let counters = try OpenWorkspace.open(
      at: directory.path + "/counters", schema: WorkspaceSchema(applicationID: 7, objects: [Counter.self]),
      mode: .readWrite)
    for (counter, field) in [(large, "count"), (missing, "share")] {
      let error = await caught(ChangeError.self) {
        try await counters.performChanges([Counter.self]) { try $0.submit(Counter.creationRequest(counter)) }
      }
      guard case .unsuitable(let found, _) = error?.cause else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(found == field)
    }
    let greatest = Counter(name: "c", count: UInt64(Int64.max), share: .infinity)
    try await counters.performChanges([Counter.self]) { try $0.submit(Counter.creationRequest(greatest)) }
    #expect(try counters.fetch(for: Counter.self).where(Counter.count == UInt64(Int64.max)).first == greatest)
    #expect(throws: WorkspaceError.self) { try counters.fetch(for: Counter.self).where(Counter.count == UInt64.max) }
  }

  @Test("A value of the wrong type is an error that names the field, not an empty result")
  func unreadable() async throws {
    try await workspace.add([full])
    try workspace.sql("UPDATE job SET state = 'exploded'")
    let error = await caught(WorkspaceError.self) { try workspace.fetch(for: Job.self).all() }
    #expect(error == .unreadable(path: workspace.path, field: "job.state", value: "'exploded'"))
    #expect(error?.description.contains("job.state") == true)
  }

  @Test("Dates are stored to the microsecond")
  func dates() async throws {
    let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    #expect(try date.columnValue() == .int(1_700_000_000_250_000))
    #expect(Date.from(.int(1_700_000_000_250_000)) == date)
    #expect(throws: UnsuitableValue.self) { try Date(timeIntervalSince1970: 1e300).columnValue() }
    #expect(throws: UnsuitableValue.self) { try Date(timeIntervalSince1970: .nan).columnValue() }
    let visits = try OpenWorkspace.open(
      at: directory.path + "/visits", schema: WorkspaceSchema(applicationID: 8, objects: [Visit.self]),
      mode: .readWrite)
    try await visits.performChanges([Visit.self]) { context in
      for day in 0..<5 {
        try context.submit(Visit.creationRequest(Visit(begin: date + Double(day) * 86_400, end: day < 3 ? date : nil)))
      }
    }
    let fetch = visits.fetch(for: Visit.self)
    #expect(try fetch.count(where: Visit.begin > date + 86_400) == 3)
    #expect(try fetch.count(where: Visit.end <= date) == 3)
    #expect(try fetch.maximum(Visit.begin) == date + 4 * 86_400)
    #expect(try fetch.minimum(Visit.end) == date)
  }
}

private struct Visit: Storable {
  var begin: Date
  var end: Date?

  static let begin = Field("begin", \Visit.begin)
  static let end = Field("end", \Visit.end)
  static let schema = ObjectSchema("visit", Visit.init, begin, end, key: begin)
}

private struct Counter: Storable, Equatable {
  var name: String
  var count: UInt64
  var share: Double

  static let name = Field("name", \Counter.name)
  static let count = Field("count", \Counter.count)
  static let share = Field("share", \Counter.share)
  static let schema = ObjectSchema("counter", Counter.init, name, count, share, key: name)
}

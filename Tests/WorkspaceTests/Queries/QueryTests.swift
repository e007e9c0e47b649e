import SQLite
import Testing
import Workspace

@Suite("Queries")
struct QueryTests {
  let directory: TemporaryDirectory
  let workspace: OpenWorkspace

  init() async throws {
    directory = try TemporaryDirectory()
    workspace = try openJobs(directory)
    try await workspace.add([
      Job(id: "a", pipeline: "build", state: .failed, attempt: 1, exitCode: 1, seconds: 4),
      Job(id: "b", pipeline: "build", state: .failed, attempt: 3, exitCode: 0, seconds: 1),
      Job(id: "c", pipeline: "test", state: .succeeded, attempt: 2, exitCode: nil, seconds: 2, ticket: "T-10"),
      Job(id: "d", pipeline: "test", state: .queued, attempt: 5, exitCode: nil, seconds: 8, ticket: "T-2"),
      Job(id: "e", pipeline: "text", state: .running, attempt: 4, exitCode: 7, seconds: 16, ticket: "U-1"),
    ])
  }

  private func ids(_ condition: Condition<Job>) throws -> String {
    try workspace.fetch(for: Job.self).where(condition).map(\.id).joined()
  }

  @Test("Conditions select the matching objects")
  func conditions() throws {
    #expect(try ids(Job.state == .failed && Job.attempt > 1) == "b")
    #expect(try ids(Job.state == .failed || Job.attempt > 4) == "abd")
    #expect(try ids(!(Job.state == .failed)) == "cde")
    #expect(try ids(Job.state != .failed) == "cde")
    #expect(try ids(Job.state.in([.queued, .running])) == "de")
    #expect(try ids(Job.state.in([])) == "")
    #expect(try ids(Job.attempt.between(2, 4)) == "bce")
    #expect(try ids(Job.attempt >= 2 && Job.attempt <= 3) == "bc")
    #expect(try ids(Job.attempt < 2) == "a")
    #expect(try ids(Job.pipeline.contains("es")) == "cd")
    #expect(try ids(Job.pipeline.contains("")) == "abcde")
    #expect(try ids(Job.pipeline.hasPrefix("te")) == "cde")
    #expect(try ids(Job.ticket.hasPrefix("T-")) == "cd")
    #expect(try ids(Job.pipeline.hasPrefix("")) == "abcde")
    #expect(try ids(Job.isManual == false && Job.seconds == 16) == "e")
    #expect(try ids(Job.origin.isNil()) == "abcde")
  }

  @Test("Equality treats missing values as Swift does, and everything else is unknown")
  func missing() throws {
    #expect(try ids(Job.exitCode == nil) == "cd")
    #expect(try ids(Job.exitCode != nil) == "abe")
    #expect(try ids(Job.exitCode.isNil()) == "cd")
    #expect(try ids(Job.exitCode.isNotNil()) == "abe")
    #expect(try ids(Job.exitCode != 0) == "acde")
    #expect(try ids(!(Job.exitCode == 0)) == "acde")
    #expect(try ids(Job.exitCode > 0) == "ae")
    #expect(try ids(!(Job.exitCode > 0)) == "b")
    #expect(try ids(Job.exitCode.between(0, 1)) == "ab")
    #expect(try ids(Job.exitCode.in([1, 7])) == "ae")
  }

  @Test("Fields are compared with fields")
  func fields() throws {
    #expect(try ids(Job.pipeline == Job.pipeline) == "abcde")
    #expect(try ids(Job.seconds < Job.seconds) == "")
  }

  @Test("Results come in the requested order, equal ones by key, with limit and offset")
  func order() throws {
    let fetch = workspace.fetch(for: Job.self)
    func ids(_ ordering: [Ordering<Job>], limit: Limit = .noLimit, offset: Int = 0) throws -> String {
      try fetch.all(limit: limit, offset: offset, orderBy: ordering).map(\.id).joined()
    }
    #expect(try ids([]) == "abcde")
    #expect(try ids([Job.seconds.descending]) == "edacb")
    #expect(try ids([Job.pipeline.descending, Job.attempt.descending]) == "edcba")
    #expect(try ids([Job.exitCode.ascending]) == "cdbae")
    #expect(try ids([Job.exitCode.ascending(missing: .last)]) == "baecd")
    #expect(try ids([Job.exitCode.descending]) == "eabcd")
    #expect(try ids([Job.exitCode.descending(missing: .first)]) == "cdeab")
    #expect(try ids([Job.pipeline.ascending], limit: 2, offset: 1) == "bc")
    #expect(try ids([], limit: 0) == "")
    #expect(try ids([], limit: .limit(-1), offset: -5) == "")
    #expect(try ids([], offset: 3) == "de")
    #expect(try ids([Job.attempt.descending]) == "debca")
  }

  @Test("A limit is applied after the order, whether or not an index has that order")
  func limitAfterOrder() throws {
    #expect(try workspace.fetch(for: Job.self).all(limit: 2, orderBy: [Job.seconds.ascending]).map(\.id) == ["b", "c"])
    #expect(
      try workspace.fetch(for: Job.self).all(limit: 2, orderBy: [Job.attempt.descending]).map(\.id) == ["d", "e"])
  }

  @Test("Aggregates apply to everything or to groups")
  func aggregates() throws {
    let fetch = workspace.fetch(for: Job.self)
    #expect(try fetch.count() == 5)
    #expect(try fetch.count(where: Job.pipeline == "test") == 2)
    #expect(try fetch.exists(where: Job.attempt == 5))
    #expect(try !fetch.exists(where: Job.attempt == 6))
    #expect(try fetch.minimum(Job.pipeline) == "build")
    #expect(try fetch.maximum(Job.seconds, where: Job.state == .failed) == 4)
    #expect(try fetch.maximum(Job.seconds, where: Job.attempt > 100) == nil)
    let groups = try fetch.select(
      Job.pipeline, Job.count, Job.attempt.maximum, Job.exitCode.maximum, where: Job.attempt < 5,
      groupedBy: [Job.pipeline])
    #expect(groups.map(\.0) == ["build", "test", "text"])
    #expect(groups.map(\.1) == [2, 1, 1])
    #expect(groups.map(\.2) == [3, 2, 4])
    #expect(groups.map(\.3) == [1, nil, 7])
    let largest = try fetch.select(
      Job.pipeline, Job.seconds.maximum, groupedBy: [Job.pipeline], limit: 1,
      orderBy: [Job.seconds.maximum.descending])
    #expect(largest.map(\.0) == ["text"])
  }

  @Test("Aggregates ignore missing values")
  func missingNumbers() throws {
    let fetch = workspace.fetch(for: Job.self)
    #expect(try fetch.minimum(Job.exitCode) == 0)
    #expect(try fetch.maximum(Job.exitCode, where: Job.state == .failed) == 1)
    #expect(try fetch.minimum(Job.exitCode, where: Job.state == .queued) == nil)
  }

  @Test("A projection returns the requested columns as tuples")
  func projection() throws {
    let found = try workspace.fetch(for: Job.self).select(
      Job.id, Job.exitCode, Job.attempt, Job.state, where: Job.pipeline == "build", orderBy: [Job.id.descending])
    #expect(found.map(\.0) == ["b", "a"])
    #expect(found.map(\.1) == [0, 1])
    #expect(found.map(\.2) == [3, 1])
    #expect(found.map(\.3) == [.failed, .failed])
  }

  @Test("Queries with many values, and many queries in a row, leave no connection behind")
  func manyQueries() throws {
    let fetch = workspace.fetch(for: Job.self)
    for _ in 0..<300 { _ = workspace.fetch(for: Job.self) }
    for number in 0..<300 { #expect(try fetch.where(Job.attempt.in(1...(number + 5))).count == 5) }
    #expect(throws: WorkspaceError.self) { try fetch.where(Job.attempt.in(0..<300_000)) }
    #expect(try fetch.count() == 5)
  }

  @Test("An index serves equality, ranges, prefixes and an order that ends with the key")
  func plans() throws {
    let plans = try workspace.read { db in
      try [
        "SELECT * FROM job WHERE pipeline = 'x' AND state = 'failed' ORDER BY id",
        "SELECT * FROM job WHERE pipeline >= 'x' AND pipeline < 'y' ORDER BY pipeline, state, id LIMIT 3",
        "SELECT * FROM job WHERE ticket IS 'T-1'",
      ].map { sql in
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }.joined(separator: "; ")
      }
    }
    for plan in plans { #expect(plan.contains("SEARCH job USING INDEX") && !plan.contains("TEMP B-TREE"), "\(plan)") }
  }
}

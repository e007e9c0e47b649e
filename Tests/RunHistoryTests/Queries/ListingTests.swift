import SQLite
import Testing
import Workspace

@testable import RunHistory

@Suite("Finding runs")
struct ListingTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func time(_ minutes: Int) -> RecordTime {
    HistoryFixture.start.advanced(by: Int64(minutes) * 60_000_000)
  }

  @Test("A filter selects exactly what it describes, in the requested order")
  func filters() async throws {
    let a = try await fixture.ended("alpha", at: time(0))
    let b = try await fixture.ended("beta", at: time(1), state: .failed)
    let c = try await fixture.ended("alphabet", at: time(2), state: .cancelled)
    let nested = try await fixture.ended("inner", at: time(3), parent: RunRecord.Parent(run: c, operation: "x"))
    let d = try await fixture.abandoned(at: time(4))
    func ids(_ filter: RunFilter) throws -> [RunID] { try history.runs(filter).map(\.id) }

    #expect(try ids(RunFilter()) == [d, c, b, a])
    #expect(try ids(RunFilter(includesNested: true)) == [d, nested, c, b, a])
    #expect(try ids(RunFilter(order: .oldestFirst)) == [a, b, c, d])
    #expect(try ids(RunFilter(limit: 2)) == [d, c])
    #expect(try ids(RunFilter(pipeline: "alpha")) == [a])
    #expect(try ids(RunFilter(pipeline: "alpha*")) == [c, a])
    #expect(try ids(RunFilter(states: [.failed, .succeeded])) == [b, a])
    #expect(try ids(RunFilter(states: [.failed, .succeeded], limit: 1, order: .oldestFirst)) == [a])
    #expect(try ids(RunFilter(states: [.interrupted])) == [d])
    #expect(try ids(RunFilter(since: time(1), until: time(2))) == [b])
    #expect(try ids(RunFilter(operation: "count", limit: 1)) == [d])
    #expect(try ids(RunFilter(operation: "coun")) == [])
    #expect(try history.latestRun(for: .resume)?.id == d)
    #expect(try history.latestRun(for: .retry)?.id == d)
  }

  @Test("An operation with a loop is found by its name without the index")
  func loops() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 1, name: "archive[3]", position: 0, state: .succeeded)))
    try await fixture.recorder.flush()
    #expect(try history.runs(RunFilter(operation: "archive")).map(\.id) == [run.id])
    #expect(try history.runs(RunFilter(operation: "arch")).isEmpty)
  }

  @Test("An id is found by its prefix, an ambiguous prefix lists its candidates, and `last` is the latest run")
  func resolve() async throws {
    let ids = ["k00000000001", "k00000000002", "k00000001000", "m00000000000"].compactMap { RunID($0) }
    for (minute, id) in ids.enumerated() { try await fixture.ended(at: time(minute), id: id) }
    #expect(try history.resolve("k00000000002") == .found(ids[1]))
    #expect(try history.resolve("K00000001") == .found(ids[2]))
    #expect(try history.resolve("m") == .found(ids[3]))
    #expect(try history.resolve("k0000000000") == .ambiguous([ids[1], ids[0]]))
    #expect(try history.resolve("k") == .ambiguous([ids[2], ids[1], ids[0]]))
    #expect(try history.resolve("z") == .none)
    #expect(try history.resolve("") == .none)
    #expect(try history.resolve("k%") == .none)
    #expect(try history.resolve("last") == .found(ids[3]))
    #expect(try history.resolve("latest") == .found(ids[3]))
    #expect(try ids.map { try history.shortForm(of: $0) } == ["k00000000001", "k00000000002", "k00000001", "m0000000"])
  }

  @Test("Retrying single operations does not make a failed run succeed")
  func retriedInPart() async throws {
    let failed = try await fixture.ended(at: time(0), state: .failed)
    var part = fixture.record("digest", at: time(1), state: .succeeded)
    part.trigger = .retry
    part.origin.source = failed
    part.origin.selection = .only(operation: "fetch")
    fixture.recorder.record(.runCreated(part, definition: ""))
    try await fixture.recorder.flush()
    #expect(try history.latestRun(for: .retry)?.id == failed)
    try await fixture.ended(at: time(2), retrying: part.id)
    #expect(try history.latestRun(for: .retry) == nil)
  }

  @Test("An empty history has no latest run")
  func empty() throws {
    #expect(try history.resolve("last") == .none)
    #expect(try history.latestRun(for: .retry) == nil)
    #expect(try history.runs().isEmpty)
  }

  @Test("The latest result of the same pipeline, operation and fingerprint is reused, if it is recent enough")
  func reusable() async throws {
    try await fixture.ended(at: time(0))
    let latest = try await fixture.ended(at: time(1))
    try await fixture.ended("other", at: time(2))
    func find(_ pipeline: String, _ operation: String, _ fingerprint: String, since minute: Int) throws -> RunID? {
      try history.reusable(
        pipeline: pipeline, operation: operation, fingerprint: fingerprint, notBefore: time(minute))?.run
    }
    #expect(try find("digest", "fetch", "f1", since: 0) == latest)
    #expect(try find("digest", "fetch", "f1", since: 2) == nil)
    #expect(try find("digest", "fetch", "f2", since: 0) == nil)
    #expect(try find("digest", "count", "f1", since: 0) == nil)
    let record = try history.reusable(pipeline: "digest", operation: "fetch", fingerprint: "f1", notBefore: time(0))
    #expect(record?.result == .inline("[1,2]"))
  }

  @Test("Every listing walks an index in its order, and never sorts")
  func plans() throws {
    let filters: [(RunFilter, RunState?, String)] = [
      (RunFilter(), nil, "run_by_time"),
      (RunFilter(since: time(0), until: time(1)), nil, "run_by_time"),
      (RunFilter(pipeline: "a"), nil, "run_by_pipeline"),
      (RunFilter(pipeline: "a", since: time(0)), nil, "run_by_pipeline"),
      (RunFilter(pipeline: "a*"), nil, "run_by_time"),
      (RunFilter(states: [.failed]), .failed, "run_by_state"),
      (RunFilter(states: [.failed], since: time(0), order: .oldestFirst), .failed, "run_by_state"),
      (RunFilter(operation: "x"), nil, "run_by_time"),
    ]
    for (filter, state, index) in filters {
      let listing = RunListing(filter: filter)
      let plan = try history.plan(
        of: StoredRun.self, where: listing.condition(state.map { [$0] } ?? []), orderBy: listing.order)
      #expect(plan.contains { $0.contains(index) }, "\(plan)")
      #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
    let latest = RunListing(filter: RunFilter(pipeline: "a", states: [.succeeded, .failed], limit: 1))
    let plan = try history.plan(
      of: StoredRun.self, where: latest.condition([.succeeded, .failed], ofPipeline: true), orderBy: latest.order)
    #expect(
      plan.contains { $0.contains("run_by_pipeline") } && !plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test("The latest ended run of a pipeline is searched among the pipeline's runs, not among all ended runs")
  func walksOfPipeline() async throws {
    let old = try await fixture.ended("rare", at: time(0), state: .failed)
    for minute in 1...5 { try await fixture.ended("often", at: time(minute)) }
    let answers: [(Set<RunState>, byPipeline: Bool, [RunID])] = [
      ([.succeeded, .failed, .cancelled, .interrupted], true, [old]), ([.failed], true, [old]),
      ([.succeeded], true, []),
      ([.running], false, []), ([.running, .queued, .interrupted], false, []),
    ]
    for (states, byPipeline, runs) in answers {
      let listing = RunListing(filter: RunFilter(pipeline: "rare", states: states))
      #expect(try history.read { try listing.isWalkedByPipeline(states, in: $0) } == byPipeline, "\(states)")
      #expect(try history.runs(listing.filter).map(\.id) == runs, "\(states)")
    }
    let pattern = RunListing(filter: RunFilter(pipeline: "rare*", states: [.failed]))
    #expect(try history.read { try !pattern.isWalkedByPipeline([.failed], in: $0) })
  }

  @Test(
    "Queries on the views use the keys and indexes",
    arguments: [
      (
        "SELECT * FROM operations WHERE run = 'k00000000001'",
        "SEARCH o USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
      ),
      ("SELECT * FROM attempts WHERE run = 'k00000000001'", "SEARCH a USING PRIMARY KEY (operation>? AND operation<?)"),
      ("SELECT * FROM failures ORDER BY ended_at DESC LIMIT 5", "SEARCH r USING INTEGER PRIMARY KEY"),
    ])
  func viewPlans(sql: String, step: String) throws {
    let plan = try history.workspace.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.hasPrefix(step) }, "\(plan)")
  }

  @Test("The lookup of a reusable result uses the index on fingerprint and end")
  func reusePlan() throws {
    let condition = OperationRows.reusable("fetch", fingerprint: "f", notBefore: time(0), notAfter: time(1))
    let plan = try history.plan(of: StoredOperation.self, where: condition, orderBy: OperationRows.latestFirst)
    #expect(
      plan == ["SEARCH operation_record USING INDEX operation_reuse (fingerprint=? AND ended_at>? AND ended_at<?)"])
  }
}

import SQLite
import Testing
import Values
import Workspace

@testable import Expressions
@testable import RunHistory

@Suite("History filters")
struct RunConditionTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }
  static let now = HistoryFixture.start.advanced(by: 24 * 3_600_000_000)

  init() throws {
    fixture = try HistoryFixture()
  }

  /// Records runs of different kinds, half an hour apart.
  private func recordRuns() async throws {
    let states: [RunState] = [.succeeded, .failed, .cancelled, .running, .queued, .succeeded]
    for index in 0..<36 {
      let time = HistoryFixture.start.advanced(by: Int64(index) * 1_800_000_000)
      let isDead = index % 9 == 3
      var run = fixture.record(
        ["nightly", "Nightly", "deploy", "50"][index % 4], at: time, owner: isDead ? HistoryFixture.deadOwner : .current
      )
      run.params = ["{\"region\":\"eu\",\"n\":\(index)}", #"{"region":"EU-west","ok":true}"#, "{}"][index % 3]
      run.trigger = index % 5 == 0 ? .controller : .manual
      run.controller = index % 5 == 0 ? "cron" : nil
      run.instant = index % 5 == 0 ? time.advanced(by: -86_400_000_000) : nil
      run.counts = RunCounts(operations: index % 4)
      fixture.recorder.record(.runCreated(run, definition: ""))
      let state = states[index % 6]
      if state != .queued { fixture.recorder.record(.runStarted(run.id, at: time.advanced(by: 1_000_000))) }
      guard state.isFinal else { continue }
      fixture.recorder.record(
        .runEnded(
          run.id, state: state, reason: state == .failed ? "operation-failed: it's" : nil,
          counts: RunCounts(operations: index % 4, failed: index % 2), at: time.advanced(by: Int64(index) * 20_000_000))
      )
    }
    try await fixture.recorder.flush()
  }

  static let conditions = [
    "state == 'failed'", "state == 'FAILED' || state == 'interrupted'", "state != 'succeeded'", "state == 'nonsense'",
    "state != 'nonsense'", "!(state == 'failed')", "pipeline == 'nightly'",
    "pipeline == 'NIGHTLY' && state == 'running'",
    "pipeline == 'nightly' || pipeline == 'deploy'", "pipeline == '50'", "pipeline == 50", "'deploy' == pipeline",
    "startsWith(pipeline, 'night')", "contains(pipeline, 'PLOY')", "contains(reason, 'it''s')", "reason == null",
    "reason == ''", "duration > '5m'", "duration < '5m'", "'2m' <= duration && duration <= '8m'",
    "duration_ms > 300000",
    "created_at >= '20h'", "created_at < '2026-11-19'", "'2026-11-18T12:06:40Z' == created_at", "started_at > '12h'",
    "started_at < '12h'", "at < '36h'", "at >= '36h' && at < started_at", "at == null", "started_at == null",
    "ended_at == null", "ended_at <= '6h' && failed > 0", "failed == 1",
    "operations >= 2", "failed != 0", "params.region == 'eu'", "params.REGION == 'EU-WEST'", "params.n == 12",
    "params.n > 20",
    "params.ok", "params.ok == true", "params.missing == null", "params['region'] == 'eu' && trigger == 'controller'",
    "controller == 'cron'", "trigger != 'manual'", "state == 'running' || failed == 1 && pipeline == 'deploy'",
    "true", "false", "params", "fromJSON(params.region) == 1", "length(pipeline) == 6",
    "user == 'ada' && host == 'box'",
    "(state == 'failed' || pipeline == 'deploy') && (created_at > '18h' || duration > '1m')",
  ]

  @Test("select the same runs whether or not the database evaluates part of them", arguments: conditions)
  func pushdown(text: String) async throws {
    try await recordRuns()
    let condition = try RunCondition.parse(text, now: Self.now)
    let all = try history.runs(RunFilter(includesNested: true))
    #expect(all.count == 36)
    let expected = all.filter { condition.matches($0) }.map(\.id)
    #expect(try history.runs(RunFilter(condition: condition, includesNested: true)).map(\.id) == expected)
    let few = try history.runs(RunFilter(condition: condition, limit: 3)).map(\.id)
    #expect(few == Array(expected.prefix(3)))
    let failed = try history.runs(RunFilter(states: [.failed, .running], condition: condition)).map(\.id)
    #expect(failed == all.filter { condition.matches($0) && [.failed, .running].contains($0.state) }.map(\.id))
  }

  @Test("select the runs that a user expects")
  func meaning() async throws {
    try await recordRuns()
    func count(_ text: String) throws -> Int {
      try history.runs(RunFilter(condition: try RunCondition.parse(text, now: Self.now))).count
    }
    #expect(try count("state == 'failed'") == 6)
    #expect(try count("pipeline == 'nightly'") == 18)
    #expect(try count("params.region == 'eu'") == 12)
    #expect(try count("params.n == 12") == 1)
    #expect(try count("created_at >= '2026-11-18T21:06:40Z'") == 16)
    #expect(try count("state == 'interrupted'") == 2)
  }

  @Test(
    "report what is wrong and where",
    arguments: [
      ("state = 'failed'", "expression-syntax", 7), ("stat == 'failed'", "unknown-name", 1),
      ("duration > 5", "wrong-comparison", 12), ("duration > '5 parsecs'", "wrong-comparison", 12),
      ("created_at > 'someday'", "wrong-comparison", 14), ("'x' < ended_at", "wrong-comparison", 1),
      ("state.name == 1", "no-members", 1), ("failure()", "no-run", 1), ("true && hashFiles('*')", "no-run", 9),
      ("pipeline == 'a' &&", "expression-syntax", 19), ("results.fetch", "unknown-name", 1),
      ("contain(id, 'a')", "unknown-function", 1),
    ])
  func mistakes(text: String, code: String, position: Int) {
    do {
      _ = try RunCondition.parse(text)
      Issue.record("'\(text)' was read")
    } catch {
      #expect(error.code == code && error.position == position, "\(error) at \(error.position)")
    }
  }

  @Test("report an evaluation error instead of selecting no run")
  func unevaluable() async throws {
    func code(_ text: String) throws -> String? {
      try history.mistake(in: RunFilter(condition: try RunCondition.parse(text, now: Self.now)))?.code
    }
    #expect(try code("fromJSON('{') == 1") == nil, "no run, no mistake")
    try await recordRuns()
    #expect(try code("fromJSON('{') == 1") != nil)
    #expect(try code("length(operations) > 1") != nil)
    #expect(try code("state == 'failed' && length(operations) > 1") != nil)
    #expect(try code("state == 'nonsense' && length(operations) > 1") == nil)
    for text in ["state == 'nonsense'", "ended_at > '1h'", "reason == 'x'", "params.missing == 1"] {
      #expect(try code(text) == nil, "\(text)")
    }
  }

  @Test("suggest the intended name")
  func suggestion() {
    #expect(
      throws: ExpressionError(
        otherCode: "unknown-name", "runs have no 'piepline'", position: 1, length: 8, fix: "did you mean 'pipeline'?")
    ) {
      try RunCondition.parse("piepline == 'a'")
    }
  }

  @Test("use an index to find the runs of one state or of one pipeline")
  func plans() async throws {
    try await recordRuns()
    var filter = RunFilter(condition: try RunCondition.parse("state == 'failed' && user == 'ada'"))
    filter.states = [.failed]
    let listing = RunListing(filter: filter)
    let plan = try history.plan(of: StoredRun.self, where: listing.condition([.failed]), orderBy: listing.order)
    #expect(plan.joined().contains("run_by_state"))
  }
}

import SQLite
import Testing
import Values
import Workspace

@testable import RunHistory

@Suite("Labels of runs") struct LabelTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func time(_ minutes: Int) -> RecordTime {
    HistoryFixture.start.advanced(by: Int64(minutes) * 60_000_000)
  }

  /// Records a run that has succeeded.
  private func ended(_ labels: [String: String], at time: RecordTime = HistoryFixture.start) async throws -> RunID {
    var run = fixture.record(at: time)
    run.labels = labels
    fixture.recorder.record(.runCreated(run, definition: "name: digest"))
    fixture.recorder.record(.runStarted(run.id, at: time))
    fixture.recorder.record(
      .runEnded(run.id, state: .succeeded, reason: nil, counts: RunCounts(operations: 2), at: time.advanced(by: 1000)))
    try await fixture.recorder.flush()
    return run.id
  }

  @Test("are recorded, and found by name, by text and by conditions")
  func filters() async throws {
    let a = try await ended(["env": "prod", "app.example/team": "data"], at: time(0))
    let b = try await ended(["env": "test"], at: time(1))
    let c = try await ended([:], at: time(2))
    #expect(try history.run(a)?.labels == ["env": "prod", "app.example/team": "data"])
    #expect(try history.run(c)?.labels == [:])
    func ids(_ labels: RunLabel..., where condition: String? = nil) throws -> [RunID] {
      try history.runs(RunFilter(labels: labels, condition: condition.map { try RunCondition.parse($0) })).map(\.id)
    }
    #expect(try ids() == [c, b, a])
    #expect(try ids(RunLabel(name: "env")) == [b, a])
    #expect(try ids(RunLabel(name: "env", text: "prod")) == [a])
    #expect(try ids(RunLabel(name: "env", text: "Prod")) == [] && ids(RunLabel(name: "ENV")) == [])
    #expect(try ids(RunLabel(name: "env"), RunLabel(name: "app.example/team", text: "data")) == [a])
    #expect(try ids(RunLabel(name: "env", text: "prod"), RunLabel(name: "env", text: "test")) == [])
    #expect(try ids(RunLabel(name: "x\" OR 1=1 --", text: "'")) == [])
    #expect(try ids(where: "labels.env == 'PROD'") == [a])
    #expect(try ids(where: "labels['app.example/team'] == 'data'") == [a])
    #expect(try ids(where: "labels.env == null") == [c])
  }

  @Test("are a JSON object in the view")
  func view() async throws {
    _ = try await ended(["b": "2", "a": "1"])
    _ = try await ended([:], at: time(1))
    let rows = try fixture.rows("SELECT labels, labels ->> 'b' FROM runs ORDER BY created_at")
    #expect(rows == [[.text(#"{"a":"1","b":"2"}"#), .text("2")], [.text("{}"), .null]])
  }

  @Test("that another program wrote incorrectly are ignored")
  func foreign() async throws {
    let a = try await ended(["env": "prod"])
    for text in ["{", "[1]", "null", "7", #"{"env":1,"team":"data"}"#] {
      try history.write { try $0.execute(sql: "UPDATE run_record SET labels = ?", arguments: [text]) }
      #expect(try history.run(a)?.labels == (text.contains("team") ? ["team": "data"] : [:]))
      #expect(try history.runs(RunFilter(labels: [RunLabel(name: "env", text: "prod")])).isEmpty)
    }
  }

  @Test("restrict watching, statistics and pruning")
  func uses() async throws {
    for minute in 0..<4 { _ = try await ended(["env": minute % 2 == 0 ? "prod" : "test"], at: time(minute)) }
    let test = RunLabel(name: "env", text: "test")
    #expect(try history.statistics(labels: [test], now: time(10)).first { $0.operation == nil }?.count == 2)
    #expect(try history.statistics(now: time(10)).first { $0.operation == nil }?.count == 4)
    // Past days are counted by tallies, which do not include labels.
    try history.tallyPastDays(now: time(3 * 24 * 60))
    #expect(try history.statistics(labels: [test], now: time(9 * 24 * 60)).first { $0.operation == nil }?.count == 2)

    var watch = RunWatch(RunFilter(labels: [test]))
    #expect(try watch.changes(in: history).isEmpty)
    let seen = try await ended(["env": "test"], at: time(5))
    _ = try await ended(["env": "prod"], at: time(6))
    #expect(Set(try watch.changes(in: history).map(\.id)) == [seen])

    // The latest run with the label is kept; runs without it are not considered.
    var rule = PruneRule(keep: 1)
    rule.labels = [test]
    #expect(try history.prune(rule).runs.count == 2)
    #expect(try history.runs().map(\.labels["env"]) == ["prod", "test", "prod", "prod"])
  }

  @Test("that are invalid are rejected by an import")
  func imports() async throws {
    _ = try await ended(["env": "prod"])
    var lines: [[UInt8]] = []
    try history.export(RunFilter()) { lines.append($0) }
    let line = try #require(lines.first.map { String(decoding: $0, as: UTF8.self) })
    let other = try HistoryFixture()
    for labels in [#"["env"]"#, #"{"env":1}"#, #"{"en v":"x"}"#, #"{"env":"a\u001b[2J"}"#] {
      var rest = [Array(line.replacing(#"{"env":"prod"}"#, with: labels).utf8)][...]
      #expect(throws: ImportError.self, "\(labels)") { try other.history.importRuns { rest.popFirst() } }
    }
  }
}

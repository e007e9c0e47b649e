import RunHistory
import Testing
import Values
import Workspace

@Suite("Exporting")
struct ExportTests {
  @Test("Each run is one line of JSON with its operations and their attempts")
  func export() async throws {
    let fixture = try HistoryFixture()
    let run = try await fixture.ended()
    var lines: [JSONValue] = []
    try fixture.history.export(RunFilter()) { bytes in
      #expect(!bytes.contains(10))
      lines.append(try JSONValue.parse(bytes))
    }
    #expect(lines.count == 1)
    let object = lines.first
    #expect(object?["id"] == .string(run.text))
    #expect(object?["params"] == .object(["limit": .int(20)]))
    #expect(object?["operations"]?[0]?["operation"] == .string("fetch"))
    #expect(object?["operations"]?[0]?["result"] == .array([.int(1), .int(2)]))
    #expect(object?["operations"]?[0]?["attempts"]?[0]?["exit_code"] == .int(7))
    // Members without a value are omitted, and the operation's result is not repeated in its last attempt.
    #expect(object?["operations"]?[0]?["attempts"]?[0]?["result"] == nil)
    #expect(object?["operations"]?[0]?["attempts"]?[1]?["result"] == nil)
    #expect(object?["operations"]?[0]?["started_at"] == .string("2026-11-18T11:06:40.010000Z"))
  }

  @Test("Each run is followed by the runs that it started, each once")
  func nested() async throws {
    let fixture = try HistoryFixture()
    let outer = try await fixture.ended("outer")
    let inner = try await fixture.ended("inner", parent: RunRecord.Parent(run: outer, operation: "x"))
    let deepest = try await fixture.ended("deepest", parent: RunRecord.Parent(run: inner, operation: "y"))
    let later = try await fixture.ended("other", at: HistoryFixture.start.advanced(by: 1))
    func ids(_ filter: RunFilter) throws -> [JSONValue?] {
      var ids: [JSONValue?] = []
      try fixture.history.export(filter) { ids.append(try JSONValue.parse($0)["id"]) }
      return ids
    }
    let family = [outer, inner, deepest].map { JSONValue.string($0.text) }
    #expect(try ids(RunFilter()) == [.string(later.text)] + family)
    #expect(try ids(RunFilter(pipeline: "outer")) == family)
    #expect(try ids(RunFilter(limit: 1, order: .oldestFirst)) == family)
    #expect(try Set(ids(RunFilter(includesNested: true))).count == 4)
    #expect(try ids(RunFilter(includesNested: true)).count == 4)
    var rows = 0
    try fixture.history.exportRows(.runs, of: RunFilter(pipeline: "outer")) { _ in rows += 1 }
    #expect(rows == 4)
  }

  @Test("The rows of a view begin with the names of its columns", arguments: RecordRows.allCases)
  func rows(kind: RecordRows) async throws {
    let fixture = try HistoryFixture()
    for _ in 0..<2 { try await fixture.ended() }
    var rows: [[SQLValue]] = []
    try fixture.history.exportRows(kind, of: RunFilter()) { rows.append($0) }
    let columns = try fixture.history.sql("SELECT * FROM \(kind.rawValue)").columns
    #expect(rows.first == columns.map { .text($0) })
    let count = [RecordRows.runs: 2, .operations: 4, .attempts: 6][kind] ?? 0
    #expect(rows.count == count + 1)
    #expect(rows.allSatisfy { $0.count == columns.count })
  }
}

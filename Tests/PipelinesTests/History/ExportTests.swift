import Pipelines
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
    #expect(object?["operations"]?[0]?["attempts"]?[0]?["result"] == .null)
    #expect(object?["operations"]?[0]?["attempts"]?[1]?["result"] == .array([.int(1), .int(2)]))
  }
}

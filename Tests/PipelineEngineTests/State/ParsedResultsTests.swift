import Testing
import Values

@testable import PipelineEngine
@testable import RunHistory

@Suite("Parsed results of former runs")
struct ParsedResultsTests {
  private let run = RunID.generate()

  private func record(_ ordinal: Int, _ result: RecordedResult) -> OperationRecord {
    OperationRecord(run: run, ordinal: ordinal, name: "a", position: ordinal, state: .succeeded, result: result)
  }

  @Test("are those that take long to parse, by run and operation")
  func large() {
    let list = JSONValue.array(Array(repeating: 12_345_678, count: 10_000))
    let (large, small) = (record(0, .inline(list.text)), record(1, .inline("[1]")))
    let none = [record(2, .none), record(3, .file(path: "runs/x/1.json", size: 1 << 20))]
    let results = ParsedResults(of: [large, small] + none)
    #expect(results[large] == list)
    for other in [small] + none { #expect(results[other] == nil) }
    let another = OperationRecord(run: .generate(), ordinal: 0, name: "a", position: 0, state: .succeeded)
    #expect(results[another] == nil)
  }
}

import PipelineLanguage
import RunHistory
import Testing

@testable import penstock

@Suite("The tree of a run")
struct TreeLayoutTests {
  private let start = RecordTime(microseconds: 1_700_000_000_000_000)
  private let pipeline = PipelineLoader.load(
    text: """
      name: demo
      operations:
        - name: fetch
          run: echo
          retry: 3
        - name: loop
          needs: [fetch]
          for_each: { in: "${{ fromJSON('[1, 2, 3]') }}", as: n }
          run: echo
        - name: publish
          needs: [loop]
          run: echo
      """, path: "demo.yaml"
  ).pipeline

  private func board(_ operations: [OperationRecord]) -> RunBoard {
    var board = RunBoard(pipeline: pipeline)
    board.apply(.run(run))
    for operation in operations { board.apply(.operation(operation)) }
    return board
  }

  private let id = RunID("03kx9fab0001") ?? .generate()

  private var run: RunRecord {
    RunRecord(
      id: id, pipeline: "demo", definitionHash: "", path: nil, host: "h", user: "u", version: "1", state: .running,
      createdAt: start, startedAt: start, counts: RunCounts(operations: 3))
  }

  private func record(
    _ ordinal: Int, _ name: String, _ state: OperationState, position: Int = 0, parent: Int? = nil, attempts: Int = 1,
    reason: String? = nil, detail: String? = nil, error: RecordedError? = nil, seconds: Int64? = nil
  ) -> OperationRecord {
    OperationRecord(
      run: id, ordinal: ordinal, name: name, position: position, parent: parent, state: state, reason: reason,
      detail: detail,
      error: error, attempts: attempts, waitingSince: state == .waiting ? start : nil, startedAt: start,
      endedAt: seconds.map { start.advanced(by: $0 * 1_000_000) })
  }

  private func lines(_ operations: [OperationRecord], width: Int = 60, height: Int = 20) -> [String] {
    var layout = TreeLayout(
      board: board(operations), style: .plain, now: start.advanced(by: 12_000_000), width: width, height: height)
    return layout.lines()
  }

  @Test("operations that have not begun say what they wait for")
  func pending() {
    #expect(
      lines([record(0, "fetch", .running, attempts: 2)]) == [
        "demo 03kx9fab running 12s, 0 of 3 done",
        " ● fetch       12s  attempt 2 of 4",
        " · loop             after fetch",
        " · publish          after loop",
      ])
  }

  @Test("a waiting retry says when, which attempt, and why")
  func retrying() {
    let due = start.advanced(by: 15_000_000).text
    let row = record(
      0, "fetch", .retrying, reason: "retry", detail: "{\"attempt\":1,\"of\":4,\"due\":\"\(due)\"}",
      error: RecordedError(code: "exit", message: "exited with code 7"))
    #expect(lines([row])[1] == " ↻ fetch            retry in 3.0s (attempt 2 of 4): exited …")
  }

  @Test("of a loop, what goes on is shown below it, and the rest is counted")
  func loop() {
    let items = [
      record(3, "loop[0]", .succeeded, position: 1, parent: 1, seconds: 1),
      record(4, "loop[1]", .running, position: 1, parent: 1),
    ]
    let shown = lines(
      [record(0, "fetch", .succeeded, seconds: 2), record(1, "loop", .running, position: 1, detail: "{\"items\":3}")]
        + items)
    #expect(shown[2] == " ● loop          12s  1 of 3, 1 running")
    #expect(shown[3] == "   ● loop[1]     12s")
    #expect(shown.count == 5)
  }

  @Test("no line is wider than the terminal, whatever is in it", arguments: [8, 20, 33, 60])
  func narrow(width: Int) {
    let error = RecordedError(code: "exit", message: "日本語\u{1B}[31m" + String(repeating: "x", count: 100))
    let shown = lines([record(0, "fetch", .failed, error: error, seconds: 3)], width: width).dropFirst()
    #expect(shown.contains { $0.contains(width < 10 ? "fet" : "fetch") }, "\(shown)")
    for line in shown {
      // Counted here: each of the Japanese characters takes two columns, and nothing else that is left takes more than one.
      let columns = line.unicodeScalars.reduce(0) { $0 + ("日本語".unicodeScalars.contains($1) ? 2 : 1) }
      #expect(columns <= width, "\(line)")
      #expect(!line.contains("\u{1B}"))
    }
  }

  @Test("what has ended well or has not begun is folded where the terminal is too low")
  func folded() {
    let rows =
      (0..<10).map { TreeRow(depth: 0, state: .succeeded, name: "a\($0)", time: "", detail: "") }
      + [TreeRow(depth: 0, state: .running, name: "b", time: "", detail: "")]
      + (0..<5).map { TreeRow(depth: 0, state: .pending, name: "c\($0)", time: "", detail: "") }
    #expect(TreeFolding.fold(rows, height: 20).count == 16)
    #expect(TreeFolding.fold(rows, height: 5).map(\.name) == ["10 succeeded", "b", "5 pending"])
    #expect(TreeFolding.fold(rows, height: 2).map(\.name) == ["10 succeeded", "… 2 more"])
  }

  @Test("items have their labels behind their numbers, which give way before the names")
  func labels() {
    var item = record(3, "loop[0]", .running, position: 1, parent: 1)
    item.item = #""in/a/long/way/orders-0137.csv""#
    let operations = [record(1, "loop", .running, position: 1), item]
    #expect(lines(operations, width: 80)[3] == "   ● loop[0] in/a/long/way/orders-0137.csv     12s")
    #expect(lines(operations, width: 60)[3] == "   ● loop[0] …way/orders-0137.csv     12s")
    #expect(lines(operations, width: 30)[3] == "   ● loop[0] ….csv     12s")
  }

  @Test("a label that has no room is left out")
  func names() {
    #expect(NameText("loop[0]", label: "x").fitted(width: 9) == "loop[0]")
    #expect(NameText("loop[0]", label: "abcdef").fitted(width: 13) == "loop[0] abcd…")
    #expect(NameText("loop[0]", label: "abc", indentation: 2).fitted(width: 40) == "  loop[0] abc")
    #expect(NameText("loop[0]", label: "abc", indentation: 2).fitted(width: 5) == "  lo…")
  }
}

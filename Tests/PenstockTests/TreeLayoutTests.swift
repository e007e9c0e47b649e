import Foundation
import PipelineLanguage
import RunHistory
import Testing
import Values

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

  @Test("operations that have not begun show what they wait for")
  func pending() {
    #expect(
      lines([record(0, "fetch", .running, attempts: 2)]) == [
        "demo 03kx9fab running 12s, 0 of 3 done",
        " ● fetch       12s  attempt 2 of 4",
        " · loop             after fetch",
        " · publish          after loop",
      ])
  }

  @Test("a waiting retry shows its time, its attempt, and the reason")
  func retrying() {
    let due = start.advanced(by: 15_000_000).text
    let row = record(
      0, "fetch", .retrying, reason: "retry", detail: "{\"attempt\":1,\"of\":4,\"due\":\"\(due)\"}",
      error: RecordedError(code: "exit", message: "exited with code 7"))
    #expect(lines([row])[1] == " ↻ fetch            retry in 3.0s (attempt 2 of 4): exited …")
  }

  @Test("the active items of a loop are shown below it, and the others are counted")
  func loop() {
    let items = [
      record(3, "loop[0]", .succeeded, position: 1, parent: 1, seconds: 1),
      record(4, "loop[1]", .running, position: 1, parent: 1),
    ]
    let shown = lines(
      [record(0, "fetch", .succeeded, seconds: 2), record(1, "loop", .running, position: 1, detail: "{\"items\":3}")]
        + items)
    #expect(shown[2] == " ● loop        12s  1 of 3, 1 running")
    #expect(shown[3] == "   ● [1]        12s")
    #expect(shown.count == 5)
  }

  @Test("no line is wider than the terminal, regardless of its characters", arguments: [8, 20, 33, 60])
  func narrow(width: Int) {
    let error = RecordedError(code: "exit", message: "日本語\u{1B}[31m" + String(repeating: "x", count: 100))
    let shown = lines([record(0, "fetch", .failed, error: error, seconds: 3)], width: width).dropFirst()
    #expect(shown.contains { $0.contains(width < 10 ? "fet" : "fetch") }, "\(shown)")
    for line in shown {
      // Counted here: each Japanese character has two columns, and no other remaining character has more than one.
      let columns = line.unicodeScalars.reduce(0) { $0 + ("日本語".unicodeScalars.contains($1) ? 2 : 1) }
      #expect(columns <= width, "\(line)")
      #expect(!line.contains("\u{1B}"))
    }
  }

  @Test("operations that have ended well or have not begun are folded if the terminal is too low")
  func folded() {
    let rows =
      (0..<10).map { TreeRow(depth: 0, state: .succeeded, name: "a\($0)", time: "", detail: "") }
      + [TreeRow(depth: 0, state: .running, name: "b", time: "", detail: "")]
      + (0..<5).map { TreeRow(depth: 0, state: .pending, name: "c\($0)", time: "", detail: "") }
    #expect(TreeFolding.fold(rows, height: 20).count == 16)
    #expect(TreeFolding.fold(rows, height: 5).map(\.name) == ["10 succeeded", "b", "5 pending"])
    #expect(TreeFolding.fold(rows, height: 2).map(\.name) == ["b", "… 15 more: 5 pending, 10 succeeded"])
  }

  @Test("items below their operation are shown by number and label")
  func labels() {
    var item = record(3, "loop[0]", .running, position: 1, parent: 1)
    item.item = #""in/a/long/way/orders-0137.csv""#
    let operations = [record(1, "loop", .running, position: 1), item]
    #expect(lines(operations, width: 80)[3] == "   ● [0] in/a/long/way/orders-0137.csv     12s")
    #expect(lines(operations, width: 60)[3] == "   ● [0] …ong/way/orders-0137.csv     12s")
    #expect(lines(operations, width: 30)[3] == "   ● [0] …0137.csv 12s")
  }

  @Test("names are not truncated while there is space left")
  func longNames() {
    let name = "an-operation-with-a-name-of-forty-six-characters"
    var board = RunBoard(pipeline: nil)
    board.apply(.run(run))
    board.apply(.operation(record(0, name, .succeeded, seconds: 1)))
    func line(_ width: Int) -> String {
      var layout = TreeLayout(board: board, style: .plain, now: start, width: width, height: 20)
      return layout.lines()[1]
    }
    #expect(line(80) == " ✓ \(name)    1.0s")
    #expect(line(40) == " ✓ an-operation-with-a-name-of-f… 1.0s")
    board.apply(
      .operation(
        record(0, name, .failed, error: RecordedError(code: "exit", message: "exited with code 3"), seconds: 1)))
    #expect(line(80) == " ✗ an-operation-with-a-name-of-forty-six-characters    1.0s  exited with code 3")
    #expect(line(60) == " ✗ an-operation-with-a-name-of-…    1.0s  exited with code 3")
  }

  @Test("an item whose operation is hidden shows its full name")
  func itemWithoutItsOperation() {
    var rows = [TreeRow(depth: 0, state: .running, name: "loop", time: "", detail: "")]
    rows += (0..<3).map { number in
      var row = TreeRow(depth: 1, state: .waiting, name: "loop[\(number)]", time: "", detail: "")
      row.isBelowOperation = true
      row.below = ["A question", "penstock approve"]
      return row
    }
    func lines(_ height: Int) -> [String] {
      let shown = TreeFolding.fold(rows, height: height)
      var columns = TreeColumns()
      columns.fit(shown, width: 40)
      return shown.map { $0.line(columns, width: 40, style: .plain) }
    }
    #expect(lines(10) == [" ● loop", "   ◌ [0]", "   ◌ [1]", "   ◌ [2]"])
    #expect(lines(7).prefix(2) == ["   ◌ loop[0]", "   ◌ loop[1]"])
  }

  @Test("running operations are never hidden in favor of ended or pending ones")
  func running() {
    var rows = (0..<40).map {
      TreeRow(depth: 0, state: $0 % 2 == 0 ? .failed : .succeeded, name: "a\($0)", time: "", detail: "")
    }
    rows.append(TreeRow(depth: 0, state: .running, name: "loop", time: "", detail: ""))
    rows += (0..<3).map { TreeRow(depth: 1, state: .running, name: "loop[\($0)]", time: "", detail: "") }
    rows.append(TreeRow(depth: 0, state: .waiting, name: "gate", time: "", detail: ""))
    rows.append(TreeRow(depth: 0, state: .pending, name: "last", time: "", detail: ""))
    let shown = TreeFolding.fold(rows, height: 8)
    #expect(
      shown.map(\.name) == [
        "a0", "a2", "loop", "loop[0]", "loop[1]", "loop[2]", "gate", "… 39 more: 18 failed, 1 pending, 20 succeeded",
      ])
    #expect(TreeFolding.fold(rows, height: 3).map(\.name).prefix(2) == ["loop", "loop[0]"])
  }

  @Test("failed items leave room for running ones")
  func failedItems() {
    let items = (0..<12).map {
      record(3 + $0, "loop[\($0)]", $0 < 8 ? .failed : .running, position: 1, parent: 1, seconds: $0 < 8 ? 1 : nil)
    }
    let shown = lines([record(1, "loop", .running, position: 1)] + items, height: 30)
    for running in 8..<12 { #expect(shown.contains { $0.contains("● [\(running)]") }, "\(shown)") }
    #expect(shown.contains("     … 6 more failed"))
  }

  @Test("a failed loop shows once which item failed first and why, and how many failed")
  func failedLoop() {
    let error = RecordedError(code: "exit", message: "exited with code 3")
    let loopError = RecordedError(
      code: "items-failed", message: "2 of 4 items failed; first 'loop[1]': exited with code 3")
    var items = [
      record(3, "loop[0]", .succeeded, position: 1, parent: 1, seconds: 1),
      record(4, "loop[1]", .failed, position: 1, parent: 1, error: error, seconds: 1),
      record(5, "loop[2]", .failed, position: 1, parent: 1, error: error, seconds: 1),
      record(
        6, "loop[3]", .cancelled, position: 1, parent: 1, attempts: 0, reason: "items-failed",
        detail: #"{"count":2,"loop":"loop"}"#),
    ]
    items[1].item = #""ubuntu-noble""#
    let loop = record(1, "loop", .failed, position: 1, error: loopError, seconds: 2)
    func detail(_ items: [OperationRecord]) -> String? {
      lines([loop] + items, width: 100).first { $0.contains("✗ loop") }?.components(separatedBy: "2.0s  ").last
    }
    #expect(detail(items) == "[1] ubuntu-noble: exited with code 3 · 2 of 4 failed, 1 not run")
    #expect(detail(Array(items.prefix(3))) == "[1] ubuntu-noble: exited with code 3 · 2 of 3 failed")
    // The recorded error, if the items are not known.
    #expect(detail([]) == "2 of 4 items failed; first 'loop[1]': exited with code 3")
  }

  private func question(_ message: String, ordinal: Int = 0) -> OperationRecord {
    let detail: JSONValue = ["message": .string(message), "command": "penstock approve 03kx9fab0001 fetch"]
    return record(ordinal, "fetch", .waiting, reason: "approval", detail: detail.text)
  }

  private func layout(_ operations: [OperationRecord], width: Int, height: Int = 20) -> TreeLayout {
    var layout = TreeLayout(
      board: board(operations), style: .plain, now: start.advanced(by: 12_000_000), width: width, height: height)
    layout.answerable = layout.board.questions.first
    return layout
  }

  @Test("a question is shown in full, with the command that answers it and the keys")
  func asking() {
    var layout = layout([question("Ship version 1.4.2 to all\nof the machines?")], width: 34)
    #expect(
      layout.lines() == [
        "demo 03kx9fab running 12s, 0 of 3…",
        " ◌ fetch   12s  waits for approval",
        "     Ship version 1.4.2 to all",
        "     of the machines?",
        "     penstock approve 03kx9fab \\",
        "       fetch",
        "     y approves, n rejects",
        " · loop         after fetch",
        " · publish      after loop",
      ])
    #expect(layout.isAnswerableShown)
  }

  @Test("a question that does not fit is shown without the keys", arguments: [(80, 12), (20, 40), (40, 4)])
  func askingTooMuch(width: Int, height: Int) {
    var layout = layout([question(String(repeating: "many words ", count: 100))], width: width, height: height)
    let shown = layout.lines()
    #expect(!layout.isAnswerableShown)
    #expect(!shown.contains { $0.contains("rejects") })
    #expect(shown.count <= height)
    #expect(shown.contains { $0.contains("fetch") })
  }

  @Test("a hostile question does not affect the terminal", arguments: [20, 40, 80, 120])
  func hostileQuestion(width: Int) {
    let message =
      "\u{1B}]0;x\u{7}\u{1B}[2J\u{202E}日本語\u{9B}31m" + String(repeating: "語x", count: 40) + "\r\n\u{1B}[A ok?"
    var layout = layout([question(message)], width: width, height: 40)
    for line in layout.lines() {
      #expect(!line.unicodeScalars.contains { TerminalText.isActing($0) }, "\(line)")
      #expect(
        line.unicodeScalars.reduce(0) { $0 + ("日本語".unicodeScalars.contains($1) ? 2 : 1) } <= width, "\(line)")
    }
    #expect(layout.isAnswerableShown == (width > 20))
  }

  @Test("names shrink in favor of reasons if the terminal is narrow")
  func reasons() {
    let long = PipelineLoader.load(
      text: "name: demo\noperations: [{ name: a-name-of-thirty-seven-characters-aaa, run: echo }]", path: "demo.yaml"
    ).pipeline
    var board = RunBoard(pipeline: long)
    board.apply(.run(run))
    board.apply(
      .operation(
        record(
          0, "a-name-of-thirty-seven-characters-aaa", .failed,
          error: RecordedError(code: "exit", message: "exited with code 3"), seconds: 2)))
    let shown = [40, 60, 80].map { width in
      var layout = TreeLayout(board: board, style: .plain, now: start, width: width, height: 20)
      return layout.lines()[1]
    }
    #expect(
      shown == [
        " ✗ a-name-of-t… 2.0s  exited with code 3", " ✗ a-name-of-thirty-seven-chara…    2.0s  exited with code 3",
        " ✗ a-name-of-thirty-seven-characters-aaa    2.0s  exited with code 3",
      ])
  }

  @Test("an allowed failure is marked as such")
  func allowed() {
    let pipeline = PipelineLoader.load(
      text: "name: demo\noperations: [{ name: lint, run: echo, allow_failure: true }]", path: "demo.yaml"
    ).pipeline
    var board = RunBoard(pipeline: pipeline)
    board.apply(.run(run))
    let error = RecordedError(code: "exit", message: "exited with code 3")
    board.apply(.operation(record(0, "lint", .failed, error: error, seconds: 2)))
    var layout = TreeLayout(board: board, style: .plain, now: start, width: 80, height: 20)
    #expect(layout.lines()[1] == " ✗ lint      2.0s  allowed to fail: exited with code 3")
  }

  @Test("columns do not return to their former widths when a reason disappears")
  func columns() {
    var columns = TreeColumns()
    let name = String(repeating: "n", count: 30)
    let row = TreeRow(depth: 0, state: .running, name: name, time: "1.0s", detail: "")
    columns.fit([row], width: 80)
    #expect(columns.shownName == 30)
    let failed = TreeRow(depth: 0, state: .failed, name: "x", time: "1.0s", detail: String(repeating: "r", count: 45))
    columns.fit([row, failed], width: 80)
    #expect(columns.shownName == 22)
    columns.fit([row], width: 80)
    #expect(columns.shownName == 22)
  }
}

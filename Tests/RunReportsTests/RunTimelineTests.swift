import Testing

@testable import RunHistory
@testable import RunReports

@Suite("The timeline of a run")
struct RunTimelineTests {
  private static let start = RecordTime(microseconds: 1_795_000_000_000_000)

  private func operation(
    _ ordinal: Int, _ name: String, _ state: OperationState, from start: Int64?, to end: Int64?, parent: Int? = nil,
    waiting: Int64? = nil
  ) -> OperationRecord {
    func time(_ second: Int64?) -> RecordTime? { second.map { Self.start.advanced(by: $0 * 1_000_000) } }
    return OperationRecord(
      run: RunID(bits: 1), ordinal: ordinal, name: name, position: 0, parent: parent, state: state,
      waitingSince: time(waiting), startedAt: time(start), endedAt: time(end))
  }

  private func attempt(_ ordinal: Int, _ number: Int, _ state: OperationState, from start: Int64, to end: Int64?)
    -> AttemptRecord
  {
    AttemptRecord(
      run: RunID(bits: 1), ordinal: ordinal, number: number, state: state,
      startedAt: Self.start.advanced(by: start * 1_000_000),
      endedAt: end.map { Self.start.advanced(by: $0 * 1_000_000) })
  }

  private func lines(_ operations: [OperationRecord], _ attempts: [AttemptRecord], width: Int = 10) -> [String] {
    let record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    let whole = RecordedRun(run: record, definition: "", operations: operations, attempts: attempts, approvals: [])
    let timeline = RunTimeline(whole, width: width, now: Self.start.advanced(by: 10_000_000))
    return timeline.rows.map { row in
      let cells = row.cells.map { cell in
        switch cell {
        case .nothing: " "
        case .waiting: "."
        case .working: "#"
        case .failing: "x"
        }
      }
      return (row.isItem ? "+" : "") + row.name + " |" + cells.joined() + "| \(row.duration / 1_000_000)"
    }
  }

  @Test("shows attempts, failures, and the waits between them, on one axis")
  func bars() {
    let operations = [
      operation(0, "a", .succeeded, from: 0, to: 2), operation(1, "b", .succeeded, from: 2, to: 10),
      operation(2, "c", .skipped, from: nil, to: 3),
    ]
    let attempts = [
      attempt(0, 1, .succeeded, from: 0, to: 2), attempt(1, 1, .failed, from: 2, to: 4),
      attempt(1, 2, .succeeded, from: 8, to: 10),
    ]
    #expect(lines(operations, attempts) == ["a |##        | 2", "b |  xx....##| 8"])
  }

  @Test("shows items under their loop, and extends active ones to the present")
  func open() {
    let operations = [
      operation(0, "loop", .running, from: 0, to: nil), operation(1, "gate", .waiting, from: nil, to: nil, waiting: 5),
      operation(2, "loop[0]", .failed, from: 0, to: 3, parent: 0),
      operation(3, "loop[1]", .running, from: 3, to: nil, parent: 0),
      operation(4, "later", .pending, from: nil, to: nil),
    ]
    let attempts = [attempt(2, 1, .failed, from: 0, to: 3), attempt(3, 1, .running, from: 3, to: nil)]
    #expect(
      lines(operations, attempts) == [
        "loop |##########| 10", "+loop[0] |xxx       | 3", "+loop[1] |   #######| 7", "gate |     .....| 5",
      ])
  }

  @Test("gives everything at least one cell, and fits everything into one cell")
  func narrow() {
    let operations = [
      operation(0, "a", .succeeded, from: 0, to: 100), operation(1, "b", .succeeded, from: 100, to: 100),
    ]
    #expect(lines(operations, [], width: 4) == ["a |####| 100", "b |   #| 0"])
    #expect(lines(operations, [], width: 1) == ["a |#| 100", "b |#| 0"])
    #expect(lines([], []) == [])
  }
}

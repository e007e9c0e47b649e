import PipelineLanguage
import RunHistory
import Testing

@testable import penstock

@Suite("Waits that plain lines tell of")
struct PlainWaitsTests {
  private let run = RunID("03kx9fab0001") ?? .generate()
  private let start = ContinuousClock.now

  private func board(_ text: String, _ operations: [OperationRecord]) -> RunBoard {
    var board = RunBoard(pipeline: PipelineLoader.load(text: text, path: "demo.yaml").pipeline)
    board.apply(
      .run(
        RunRecord(
          id: run, pipeline: "demo", definitionHash: "", path: nil, host: "h", user: "u", version: "1",
          state: .running)))
    for operation in operations { board.apply(.operation(operation)) }
    return board
  }

  private func record(_ ordinal: Int, _ name: String, _ state: OperationState, reason: String? = nil) -> OperationRecord
  {
    OperationRecord(run: run, ordinal: ordinal, name: name, position: ordinal, state: state, reason: reason)
  }

  private let free = WaitSource { _ in
    nil
  } holding: { _ in
    ""
  }

  private static let three =
    "name: demo\nconcurrency: 1\noperations: [{ name: a, run: x }, { name: b, run: x }, { name: c, run: x }]"

  @Test("operations that wait for a slot of their run have one line together, once they have waited for long")
  func slots() {
    var waits = PlainWaits()
    let board = board(Self.three, [record(0, "a", .running)])
    waits.noteChange()
    #expect(waits.lasting(on: board, free, now: start).isEmpty)
    #expect(waits.mayBecomeLong)
    #expect(waits.lasting(on: board, free, now: start + .seconds(1)).isEmpty)
    #expect(
      waits.lasting(on: board, free, now: start + .seconds(3)) == [
        .init(
          subject: "b and 1 more", words: "for a free slot: 'a' is running, and `concurrency` of the run allows one")
      ])
    #expect(!waits.mayBecomeLong)
    waits.noteChange()
    #expect(waits.lasting(on: board, free, now: start + .seconds(9)).isEmpty)
  }

  @Test("an operation that begins within milliseconds has none")
  func short() {
    var waits = PlainWaits()
    waits.noteChange()
    _ = waits.lasting(on: board(Self.three, [record(0, "a", .running)]), free, now: start)
    let later = board(
      Self.three, [record(0, "a", .succeeded), record(1, "b", .succeeded), record(2, "c", .running)])
    #expect(waits.lasting(on: later, free, now: start + .seconds(4)).isEmpty)
    #expect(!waits.mayBecomeLong)
  }

  @Test("only the first long wait of an operation for its next round has a line")
  func rounds() {
    var waits = PlainWaits()
    let text = "name: demo\noperations: [{ name: a, run: x }]"
    let waiting = board(text, [record(0, "a", .waiting, reason: "repeat")])
    waits.noteChange()
    #expect(waits.lasting(on: waiting, free, now: start).isEmpty)
    #expect(waits.lasting(on: waiting, free, now: start + .seconds(3)).count == 1)
    #expect(!waits.mayBecomeLong)
    waits.noteChange()
    _ = waits.lasting(on: board(text, [record(0, "a", .running)]), free, now: start + .seconds(4))
    waits.noteChange()
    _ = waits.lasting(on: waiting, free, now: start + .seconds(5))
    #expect(waits.lasting(on: waiting, free, now: start + .seconds(9)).isEmpty)
  }
}

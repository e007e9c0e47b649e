import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("The ready operations of a run")
struct ReadyQueueTests {
  @Test("come in the order in which they became ready, with at most two ahead of their slots")
  func order() {
    let queue = ReadyQueue()
    for ordinal in 1...4 { queue.add(ordinal, needsSlot: true) }
    queue.add(5, needsSlot: false)
    #expect(queue.takeOther() == 5)
    #expect(queue.takeOther() == nil)
    #expect(queue.firstForSlot == 1)
    queue.removeFirstForSlot()
    #expect(queue.takeEarly())
    #expect(queue.takeEarly())
    #expect(!queue.takeEarly())
    #expect(queue.firstForSlot == 4)
    queue.endEarly()
    #expect(queue.takeEarly())
    #expect(queue.firstForSlot == nil)
  }

  @Test("are removed if they must not begin")
  func removal() {
    let queue = ReadyQueue()
    for ordinal in 1...4 { queue.add(ordinal, needsSlot: ordinal.isMultiple(of: 2)) }
    queue.remove { $0 < 3 }
    #expect(queue.takeOther() == 3)
    #expect(queue.firstForSlot == 4)
  }
}

@Suite("The early end of a run")
struct RunEndingTests {
  @Test("has the first reason")
  func first() {
    var ending = RunEnding()
    #expect(ending.stage == 0)
    let ada = RunCanceller(who: "ada", means: .terminal)
    let (first, second) = (
      ending.cancel(.timeout, by: RunCanceller(means: .timeout)), ending.cancel(.requested, by: ada)
    )
    #expect(ending.canceller?.means == .timeout)
    #expect(first && !second)
    #expect(ending.cancellation == .timeout)
    #expect(ending.stage == 1)
  }

  @Test("is immediate if the run is lost, and then spares nothing")
  func lost() {
    var ending = RunEnding()
    let run = RunID.generate()
    ending.spare(1)
    ending.lose(.runTaken(run))
    ending.spareNothing()
    #expect(ending.stage == 2)
    #expect(ending.isForced && ending.isLost && ending.spared.isEmpty)
    #expect(ending.failure as? EngineError == .runTaken(run))
  }
}

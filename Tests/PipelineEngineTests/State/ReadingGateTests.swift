import Testing

@testable import PipelineEngine

@Suite("The gate of large results") struct ReadingGateTests {
  @MainActor @Test("lets one operation after another hold what it has read") func turns() async {
    let gate = ReadingGate()
    await gate.enter(1)
    var entered: [Int] = []
    let (others, other) = AsyncStream<Int>.makeStream()
    for ordinal in [2, 3] {
      Task { @MainActor in
        other.yield(ordinal)
        await gate.enter(ordinal)
        entered.append(ordinal)
        other.yield(-ordinal)
      }
    }
    var seen = others.makeAsyncIterator()
    for _ in 0..<2 { _ = await seen.next() }
    gate.leave(2)
    #expect(gate.holder == 1 && entered.isEmpty)
    gate.leave(1)
    #expect(await seen.next() == -2)
    gate.leave(1)
    #expect(gate.holder == 2 && entered == [2])
    gate.leave(2)
    #expect(await seen.next() == -3)
    gate.leave(3)
    #expect(gate.holder == nil)
  }
}

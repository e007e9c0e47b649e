import Testing

@testable import Workspace

@Suite("Differences of results")
struct DifferenceTests {
  @Test("A difference leads from any result to any other, with as few moves as possible", arguments: 0..<200)
  func applies(seed: UInt64) {
    var random = SeededRandom(state: seed)
    func list() -> [(key: Int, value: Int)] {
      let keys = (0..<10).shuffled(using: &random).prefix(Int.random(in: 0...10, using: &random))
      return keys.map { ($0, Int.random(in: 0...2, using: &random)) }
    }
    let old = list()
    let new = list()
    let difference = ResultDifference(from: old, to: new, key: { $0.key }, isSame: { $0.value == $1.value })
    let applied = difference.applied(to: old) { new[$0] }
    #expect(applied.map(\.key) == new.map(\.key))
    #expect(applied.map(\.value) == new.map(\.value))
    #expect(difference.isEmpty == (old.map { [$0.key, $0.value] } == new.map { [$0.key, $0.value] }))
  }

  @Test("One object that goes to the end is one move")
  func oneMove() {
    let difference = ResultDifference(from: [1, 2, 3, 4], to: [2, 3, 4, 1], key: { $0 }, isSame: ==)
    #expect(difference.moves == [.init(from: 0, to: 3)])
    #expect(difference.deletions.isEmpty && difference.insertions.isEmpty && difference.updates.isEmpty)
  }
}

@Suite("Finding subscribers")
struct IntervalTests {
  @Test("An interval index finds exactly the intervals that a value is in", arguments: 0..<50)
  func finds(seed: UInt64) {
    var random = SeededRandom(state: seed)
    var index = IntervalIndex()
    var intervals: [UInt64: (low: Int?, high: Int?)] = [:]
    for number in 0..<UInt64(40) {
      let low = Bool.random(using: &random) ? Int.random(in: 0...50, using: &random) : nil
      let high = Bool.random(using: &random) ? Int.random(in: 0...50, using: &random) : nil
      intervals[number] = (low, high)
      index.insert(number, low: low.map { .int(Int64($0)) }, high: high.map { .int(Int64($0)) })
      if number % 5 == 4, let gone = intervals.keys.randomElement(using: &random) {
        intervals[gone] = nil
        index.remove(gone)
      }
      for value in [0, 7, 25, 50] {
        var found: Set<UInt64> = []
        index.find(.int(Int64(value))) { found.insert($0) }
        let expected = intervals.filter { ($0.value.low ?? .min) <= value && value <= ($0.value.high ?? .max) }.keys
        #expect(found == Set(expected))
      }
    }
  }
}

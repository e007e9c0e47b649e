import Testing

@testable import Workspace

@Suite("Differences of results")
struct DifferenceTests {
  @Test("A difference converts any result to any other, with as few moves as possible", arguments: 0..<200)
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

  @Test("Moving one object to the end is one move")
  func oneMove() {
    let difference = ResultDifference(from: [1, 2, 3, 4], to: [2, 3, 4, 1], key: { $0 }, isSame: ==)
    #expect(difference.moves == [.init(from: 0, to: 3)])
    #expect(difference.deletions.isEmpty && difference.insertions.isEmpty && difference.updates.isEmpty)
  }
}

@Suite("Finding subscribers")
struct IntervalTests {
  @Test("An interval index finds exactly the intervals that contain a value", arguments: 0..<50)
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

@Suite("Finding results")
struct SubscriptionIndexTests {
  @Test("A change finds the results that it may concern, and not thousands of others")
  func finds() {
    var index = SubscriptionIndex()
    var subscribers: [any Subscriber] = []
    func add(_ condition: Condition<Job>?) -> UInt64 {
      let number = UInt64(subscribers.count)
      let result = FetchedResult<Job>(objects: [], query: Query(condition: condition))
      let subscriber = ResultSubscriber(result, mark: SubscriberMark(number: number), handler: { _ in }, whenEnded: {})
      subscribers.append(subscriber)
      index.insert(subscriber)
      return number
    }
    func found(_ job: Job) -> Set<UInt64> {
      var found: Set<UInt64> = []
      index.findResults(for: { Job.schema.core.value($0, of: job) }, into: &found)
      return found
    }
    let keys = (0..<1000).map { add(Job.id == "j\($0)") }
    let ranges = (0..<1000).map { add(Job.attempt.between($0 * 10, $0 * 10 + 9)) }
    // One of the two conditions is the same for all, in either position.
    let pairs = (0..<1000).map { place in
      add(
        place.isMultiple(of: 2)
          ? Job.state == .queued && Job.pipeline == "p\(place)" : Job.pipeline == "p\(place)" && Job.state == .queued)
    }
    let both = add(Job.attempt > 100 && Job.attempt < 200 && Job.seconds > 5)
    let either = add(Job.pipeline == "p7" || Job.pipeline == "p8")
    let missing = add(Job.exitCode == nil)
    let everything = add(nil)
    let job = Job(id: "j3", pipeline: "p7", attempt: 155)
    #expect(found(job) == [keys[3], ranges[15], pairs[7], either, missing, everything])
    var other = job
    (other.state, other.seconds, other.exitCode) = (.failed, 6, 1)
    #expect(found(other) == [keys[3], ranges[15], both, either, everything])
    for number in [keys[3], ranges[15], pairs[7], either, everything] { index.remove(subscribers[Int(number)]) }
    #expect(found(job) == [missing])
  }

  @Test("A live result with several conditions is notified of all changes that any of them admits", arguments: 0..<20)
  func severalConditions(seed: UInt64) {
    var random = SeededRandom(state: seed)
    func condition() -> (Condition<Job>, (Job) -> Bool) {
      let number = Int.random(in: 0...5, using: &random)
      return switch Int.random(in: 0...4, using: &random) {
      case 0: (Job.attempt == number, { $0.attempt == number })
      case 1: (Job.attempt > number, { $0.attempt > number })
      case 2: (Job.exitCode != number, { $0.exitCode != number })
      case 3: (Job.pipeline.in(["p\(number)", "p1"]), { ["p\(number)", "p1"].contains($0.pipeline) })
      default: (Job.exitCode <= number, { $0.exitCode.map { $0 <= number } ?? false })
      }
    }
    for _ in 0..<50 {
      let parts = (0...Int.random(in: 0...2, using: &random)).map { _ in condition() }
      let all = parts.dropFirst().reduce(parts[0].0) { $0 && $1.0 }
      let ranges = RowRange.all(of: all.node, in: Job.schema.table)
      for attempt in 0...6 {
        for exitCode in [nil, 0, 3, 6] {
          let job = Job(id: "a", pipeline: "p\(attempt)", attempt: attempt, exitCode: exitCode)
          let isIn = parts.allSatisfy { $0.1(job) }
          // Too many may be admitted, never too few.
          if isIn { #expect(ranges.allSatisfy { $0.admits { Job.schema.core.value($0, of: job) } }) }
        }
      }
    }
  }
}

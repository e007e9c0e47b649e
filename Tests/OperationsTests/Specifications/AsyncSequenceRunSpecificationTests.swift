import Operations
import OperationsTesting
import Testing

@Suite("Observing a sequence")
struct AsyncSequenceRunSpecificationTests {
  private let context = OperationContext()

  /// Subscribes to `specification` and returns a stream of its changes.
  private func follow(
    _ specification: some OperationRunSpecification
  ) -> (subscription: OperationSubscription, changes: AsyncStream<Bool>.Iterator) {
    let (changes, continuation) = AsyncStream<Bool>.makeStream()
    let subscription = specification.subscribe(in: context) {
      continuation.yield(specification.isSatisfied(in: context))
    }
    return (subscription, changes.makeAsyncIterator())
  }

  @Test("The initial value applies until the first element, and then the newest one")
  func values() async {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let specification: AsyncSequenceRunSpecification = .observing(stream, initialValue: true)
    var (subscription, changes) = follow(specification)
    #expect(specification.isSatisfied(in: context))
    continuation.yield(false)
    #expect(await changes.next() == false)
    continuation.yield(true)
    #expect(await changes.next() == true)
    withExtendedLifetime(subscription) {}
  }

  @Test("Repeated values are not reported")
  func repeated() async {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let specification = AsyncSequenceRunSpecification(stream, initialValue: false)
    var (subscription, changes) = follow(specification)
    for value in [false, true, true, true, false, false, true] { continuation.yield(value) }
    var seen: [Bool?] = []
    for _ in 0..<3 { seen.append(await changes.next()) }
    // The value read may be newer than the change it was read for, but there are exactly three changes.
    continuation.yield(false)
    seen.append(await changes.next())
    #expect(seen.count == 4)
    #expect(seen.last == false)
    withExtendedLifetime(subscription) {}
  }

  @Test("The sequence is iterated without subscribers")
  func eager() async {
    let (asked, signal) = AsyncStream<Int>.makeStream()
    let counter = Log<Int>()
    let stream = AsyncStream<Bool> {
      signal.yield(counter.append(1))
      return counter.count <= 2 ? counter.count == 2 : nil
    }
    let specification = AsyncSequenceRunSpecification(stream, initialValue: false)
    // The third element is requested once the second one has been applied.
    for await count in asked where count == 3 { break }
    #expect(specification.isSatisfied(in: context))
  }

  @Test("The iteration ends with the last copy of the specification")
  func end() async {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let (ended, signal) = AsyncStream<Void>.makeStream()
    continuation.onTermination = { _ in signal.finish() }
    do {
      let specification = AsyncSequenceRunSpecification(stream, initialValue: false)
      #expect(!specification.isSatisfied(in: context))
    }
    for await _ in ended {}
  }

  @Test("A subscription keeps the iteration alive")
  func kept() async {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let (changes, signal) = AsyncStream<Void>.makeStream()
    let subscription = AsyncSequenceRunSpecification(stream, initialValue: false)
      .subscribe(in: context) { signal.yield() }
    continuation.yield(true)
    for await _ in changes { break }
    subscription.cancel()
  }

  @Test("It describes its value, since when it has it, and that the sequence has failed")
  func description() async {
    struct Failing: AsyncSequence, Sendable {
      struct Iterator: AsyncIteratorProtocol {
        var count = 0
        mutating func next() async throws -> Bool? {
          count += 1
          guard count < 2 else { throw TestError(number: 5) }
          return true
        }
      }
      func makeAsyncIterator() -> Iterator { Iterator() }
    }
    let clock = TestClock(now: Timestamp(seconds: 0))
    let specification = AsyncSequenceRunSpecification(Failing(), initialValue: false, clock: clock)
    var line = ""
    while !line.contains("failed") {
      await Task.yield()
      line = specification.description(in: context).description
    }
    #expect(
      line == "observed: observed is true since 1970-01-01T00:00:00Z (the sequence failed: TestError(number: 5))")
    #expect(specification.isSatisfied(in: context))
  }
}

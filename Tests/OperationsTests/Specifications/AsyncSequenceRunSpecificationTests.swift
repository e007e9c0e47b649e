import Operations
import OperationsTesting
import Testing

@Suite("Observing a sequence")
struct AsyncSequenceRunSpecificationTests {
  private let context = OperationContext()

  /// A specification over `stream`, and a stream of its changes.
  private func follow(
    _ specification: some OperationRunSpecification
  ) -> (subscription: OperationSubscription, changes: AsyncStream<Bool>.Iterator) {
    let (changes, continuation) = AsyncStream<Bool>.makeStream()
    let subscription = specification.subscribe(in: context) {
      continuation.yield(specification.isSatisfied(in: context))
    }
    return (subscription, changes.makeAsyncIterator())
  }

  @Test("The initial value counts until the first element, and the newest from then on")
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

  @Test("Repeated values are not told")
  func repeated() async {
    let (stream, continuation) = AsyncStream<Bool>.makeStream()
    let specification = AsyncSequenceRunSpecification(stream, initialValue: false)
    var (subscription, changes) = follow(specification)
    for value in [false, true, true, true, false, false, true] { continuation.yield(value) }
    var seen: [Bool?] = []
    for _ in 0..<3 { seen.append(await changes.next()) }
    // The newest value may be older than the one that was asked for, but there are three changes and no more.
    continuation.yield(false)
    seen.append(await changes.next())
    #expect(seen.count == 4)
    #expect(seen.last == false)
    withExtendedLifetime(subscription) {}
  }

  @Test("The sequence is iterated without any subscriber")
  func eager() async {
    let (asked, signal) = AsyncStream<Int>.makeStream()
    let counter = Log<Int>()
    let stream = AsyncStream<Bool> {
      signal.yield(counter.append(1))
      return counter.count <= 2 ? counter.count == 2 : nil
    }
    let specification = AsyncSequenceRunSpecification(stream, initialValue: false)
    // The third element is asked for when the second has been taken over.
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

  @Test("It says its value, since when, and that the sequence has failed")
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

import Dispatch
import Synchronization
import Testing

@testable import LinuxObservers
@testable import Operations

@Suite("Host name lookups") struct HostLookupTests {
  /// A resolver that answers only on request, and reports the names it was asked for.
  final class SlowResolver: Sendable {
    let asked: AsyncStream<String>
    private let tell: AsyncStream<String>.Continuation
    private let gate = DispatchSemaphore(value: 0)
    private let count = Mutex(0)

    init() { (asked, tell) = AsyncStream.makeStream() }

    /// The number of threads in a lookup.
    var running: Int { count.withLock { $0 } }

    func resolve(_ host: String) -> HostLookup.Answer {
      count.withLock { $0 += 1 }
      tell.yield(host)
      gate.wait()
      count.withLock { $0 -= 1 }
      return .success([HostAddress(family: 2, bytes: [2, 0, 0, 0, 192, 0, 2, UInt8(host.utf8.count)])])
    }

    /// Lets one lookup finish.
    func answer() { gate.signal() }
  }

  @Test("Concurrent requests for a name share one answer, each with its own port")
  func shared() async throws {
    let resolver = SlowResolver()
    let lookup = HostLookup(limit: 4, resolver: resolver.resolve)
    var asked = resolver.asked.makeAsyncIterator()
    let first = Task { try await lookup.addresses(of: "one.example", port: 80) }
    #expect(await asked.next() == "one.example")
    let others = (1...50).map { port in Task { try await lookup.addresses(of: "one.example", port: UInt16(port)) } }
    // Another name is looked up in parallel.
    let another = Task { try await lookup.addresses(of: "another.example", port: 443) }
    #expect(await asked.next() == "another.example")
    while lookup.waitingCount < 52 { await Task.yield() }
    #expect(resolver.running == 2)
    resolver.answer()
    resolver.answer()
    #expect(try await first.value == [HostAddress(family: 2, bytes: [2, 0, 0, 80, 192, 0, 2, 11])])
    for (port, task) in zip(1..., others) {
      #expect(try await task.value.first?.bytes[2...3] == [0, UInt8(port)])
    }
    #expect(try await another.value == [HostAddress(family: 2, bytes: [2, 0, 1, 187, 192, 0, 2, 15])])
    #expect(lookup.waitingCount == 0)
  }

  @Test("No more names than the limit are looked up at a time, and the others wait")
  func limited() async throws {
    let resolver = SlowResolver()
    let lookup = HostLookup(limit: 2, resolver: resolver.resolve)
    var asked = resolver.asked.makeAsyncIterator()
    var names: Set<String> = []
    let tasks = (1...6).map { n in Task { try await lookup.addresses(of: "host\(n).example", port: 1) } }
    while lookup.waitingCount < 6 { await Task.yield() }
    for _ in 1...2 { names.insert(try #require(await asked.next())) }
    #expect(resolver.running == 2)
    for _ in 3...6 {
      resolver.answer()
      names.insert(try #require(await asked.next()))
      #expect(resolver.running == 2)
    }
    resolver.answer()
    resolver.answer()
    for task in tasks { #expect(try await task.value.count == 1) }
    #expect(names == Set((1...6).map { "host\($0).example" }))
  }

  @Test("A cancelled task does not wait, and a name without waiting tasks is not looked up")
  func cancelled() async throws {
    let resolver = SlowResolver()
    let lookup = HostLookup(limit: 1, resolver: resolver.resolve)
    var asked = resolver.asked.makeAsyncIterator()
    let first = Task { try await lookup.addresses(of: "first.example", port: 1) }
    #expect(await asked.next() == "first.example")
    let second = Task { try await lookup.addresses(of: "second.example", port: 1) }
    while lookup.waitingCount < 2 { await Task.yield() }
    let third = Task { try await lookup.addresses(of: "third.example", port: 1) }
    while lookup.waitingCount < 3 { await Task.yield() }
    first.cancel()
    second.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await second.value }
    // A new request for the same name joins the lookup in progress.
    let again = Task { try await lookup.addresses(of: "first.example", port: 2) }
    while lookup.waitingCount < 2 { await Task.yield() }
    resolver.answer()
    #expect(try await again.value.count == 1)
    #expect(await asked.next() == "third.example")
    resolver.answer()
    #expect(try await third.value.count == 1)
  }

  @Test("A numeric address is not looked up")
  func numeric() async throws {
    let lookup = HostLookup(limit: 1) { _ in .failure(ReachabilityError.noAddress("asked")) }
    #expect(
      try await lookup.addresses(of: "192.0.2.7", port: 80).map(\.bytes) == [
        [2, 0, 0, 80, 192, 0, 2, 7, 0, 0, 0, 0, 0, 0, 0, 0]
      ])
    let six = try #require(try await lookup.addresses(of: "2001:db8::1", port: 443).first)
    #expect(six.bytes[2...3] == [1, 187])
    await #expect(throws: ReachabilityError.self) { try await lookup.addresses(of: "a.example", port: 1) }
  }
}

import HTTPOperations
import Operations
import OperationsTesting
import Synchronization
import Testing

@Suite("Early retries of requests")
struct HTTPEarlyRetryTests {
  private let clock = TestClock()
  private let network = MockNetworkObserver()
  private let woken = Log<RetryWakeCause>()
  private let here = HTTPEndpoint(scheme: "http", host: "h", port: 80)

  private func start(
    _ transport: FakeTransport, _ early: HTTPEarlyRetry, _ peers: HTTPPeers
  ) -> Task<[UInt8], any Error> {
    var operation = HTTPOperation(.init(url: "http://h/"), by: transport, to: .data)
    operation.retryProviders = [HTTPDefaultRetryProvider(early: early)]
    operation.retry = HTTPRetrySettings(limit: 1, backoff: .constant(.seconds(600)), budget: nil)
    operation.peers = peers
    var context = OperationContext.testing(clock)
    context.retryObserver = RetryObserver(onWake: { [woken] in woken.append($0) })
    let runner = OperationRunner(operation, context: context)
    return Task { try await runner.run() }
  }

  @Test("Another request's success at the same endpoint brings the attempt forward, after a short delay")
  func peerSuccess() async throws {
    let peers = HTTPPeers(network: network)
    let transport = FakeTransport(.failure(.cannotConnect), .response(200, [:], [1]))
    let task = start(transport, .standard, peers)
    await clock.hasDelays(1)
    peers.succeeded(at: HTTPEndpoint(scheme: "https", host: "h", port: 443))
    peers.succeeded(at: HTTPEndpoint(scheme: "http", host: "h", port: 81))
    #expect(clock.delayCount == 1)
    peers.succeeded(at: here)
    await clock.hasDelays(2)
    let jitter = try #require(clock.remainingDelays.first)
    #expect(jitter < .seconds(1))
    // Further ones have no effect.
    peers.succeeded(at: here)
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(try await task.value == [1])
    #expect(woken.elements == [.waker("peer-success")])
    #expect(clock.delayCount == 0)
  }

  @Test("An event shortly before the end of the delay does not postpone the attempt")
  func neverPostpones() async throws {
    let peers = HTTPPeers(network: network)
    let transport = FakeTransport(.failure(.cannotConnect), .response(200))
    let early = HTTPEarlyRetry(network: false, endpoint: false, peerSuccess: true, jitter: .seconds(10_000))
    let task = start(transport, early, peers)
    await clock.hasDelays(1)
    peers.succeeded(at: here)
    await clock.hasDelays(2)
    clock.advance(by: .seconds(600))
    _ = try await task.value
    #expect(woken.elements == [.delay])
    #expect(clock.delayCount == 0)
  }

  @Test("An operation that succeeds wakes those waiting for its endpoint")
  func operations() async throws {
    let peers = HTTPPeers(network: network)
    let task = start(FakeTransport(.failure(.cannotConnect), .response(200, [:], [1])), .standard, peers)
    await clock.hasDelays(1)
    var other = HTTPOperation(.init(url: "http://H:80/other"), by: FakeTransport(.response(200)), to: .data)
    other.peers = peers
    _ = try await OperationRunner(other).run()
    await clock.hasDelays(2)
    clock.advance(by: .seconds(1))
    #expect(try await task.value == [1])
    #expect(woken.elements == [.waker("peer-success")])
  }

  @Test("Another request's success does not wake a retry of a status")
  func statusIsNotWoken() async throws {
    let peers = HTTPPeers(network: network)
    let task = start(FakeTransport(.response(503), .response(200, [:], [1])), .standard, peers)
    await clock.hasDelays(1)
    peers.succeeded(at: here)
    #expect(clock.delayCount == 1)
    clock.advance(by: .seconds(600))
    #expect(try await task.value == [1])
    #expect(woken.elements == [.delay])
  }

  @Test("Attempts brought forward by one event draw their delays in the order in which they began to wait")
  func order() async throws {
    let peers = HTTPPeers(network: network)
    let transport = FakeTransport(all: Array(repeating: .failure(.cannotConnect), count: 6) + [.response(200)])
    var context = OperationContext.testing(clock)
    context.operationRandom = OperationRandom(seed: 7)
    var tasks: [Task<[UInt8], any Error>] = []
    for number in 0..<6 {
      var operation = HTTPOperation(.init(url: "http://h/\(number)"), by: transport, to: .data)
      operation.retry = HTTPRetrySettings(limit: 1, backoff: .constant(.seconds(600)), budget: nil)
      operation.peers = peers
      let runner = OperationRunner(operation, context: context)
      tasks.append(Task { try await runner.run() })
      await clock.hasDelays(number + 1)
    }
    var random = OperationRandom(seed: 7)
    let delays = (0..<6).map { _ in
      Duration(attoseconds: Int128.random(in: 0..<Duration.seconds(1).attoseconds, using: &random))
    }
    peers.succeeded(at: here)
    await clock.hasDelays(12)
    var passed = Duration.zero
    for (rank, number) in delays.indices.sorted(by: { delays[$0] < delays[$1] }).enumerated() {
      clock.advance(by: delays[number] - passed)
      passed = delays[number]
      _ = try await tasks[number].value
      #expect(transport.requests.count == 7 + rank)
      #expect(transport.requests.last?.url == "http://h/\(number)")
    }
  }

  @Test("The network wakes only when it comes back")
  func networkReturns() async throws {
    let peers = HTTPPeers(network: network)
    let task = start(FakeTransport(.failure(.cannotConnect), .response(200)), .standard, peers)
    await clock.hasDelays(1)
    network.send(.requiresConnection)
    network.send(.disconnected)
    #expect(clock.delayCount == 1)
    network.send(.connected)
    await clock.hasDelays(2)
    clock.advance(by: .seconds(1))
    _ = try await task.value
    #expect(woken.elements == [.waker("reachable")])
    #expect(network.subscriberCount == 0)
  }

  @Test("An unreachable host wakes when it is reachable; one that answered, only after it was unreachable")
  func endpoint() async throws {
    for (answer, isUnreachable) in [(FakeTransport.Answer.failure(.cannotConnect), true), (.response(503), false)] {
      let observer = FakeReachability()
      let peers = HTTPPeers(network: network, reachability: { _ in observer })
      let early = HTTPEarlyRetry(network: false, endpoint: true, peerSuccess: false)
      let task = start(FakeTransport(answer, .response(200)), early, peers)
      await clock.hasDelays(1)
      #expect(observer.subscriberCount == 1)
      observer.tries(.connected)
      if !isUnreachable {
        // It was reachable all the time.
        #expect(clock.delayCount == 1)
        observer.tries(.disconnected)
        #expect(clock.delayCount == 1)
        observer.tries(.connected)
      }
      await clock.hasDelays(2)
      clock.advance(by: .seconds(1))
      _ = try await task.value
      #expect(observer.subscriberCount == 0)
    }
    #expect(woken.elements == [.waker("reachable"), .waker("reachable")])
  }

  @Test("Successes in another process arrive through the channel, with one subscription for all waits")
  func channel() async throws {
    let channel = FakeChannel()
    let peers = HTTPPeers(network: network, channel: channel)
    let first = Log<Int>()
    let one = peers.subscribeToSuccesses(at: here) { first.append(1) }
    let two = peers.subscribeToSuccesses(at: here) { first.append(2) }
    #expect(channel.handlers.count == 1)
    channel.handlers.notify(here)
    #expect(first.elements == [1, 2])
    peers.succeeded(at: here)
    #expect(channel.announced.elements == [here])
    one.cancel()
    #expect(channel.handlers.count == 1)
    two.cancel()
    #expect(channel.handlers.count == 0)
  }
}

/// A host whose reachability the test controls.
private final class FakeReachability: HTTPReachability {
  private let status = Mutex(NetworkConnectionStatus.disconnected)
  private let handlers = HandlerList<NetworkConnectionStatus>()
  private let tried = HandlerList<Void>()

  var currentStatus: NetworkConnectionStatus { status.withLock { $0 } }
  var subscriberCount: Int { handlers.count }

  func tries(_ outcome: NetworkConnectionStatus) {
    status.withLock { $0 = outcome }
    tried.notify(())
  }

  func subscribe(with handler: @escaping @Sendable (NetworkConnectionStatus) -> Void) -> OperationSubscription {
    handlers.subscribe(handler)
  }

  func subscribeToTries(_ handler: @escaping @Sendable () -> Void) -> OperationSubscription {
    tried.subscribe { _ in handler() }
  }
}

private final class FakeChannel: HTTPPeerChannel {
  let announced = Log<HTTPEndpoint>()
  let handlers = HandlerList<HTTPEndpoint>()

  func announce(_ endpoint: HTTPEndpoint) { announced.append(endpoint) }

  func subscribe(to endpoint: HTTPEndpoint, _ handler: @escaping @Sendable () -> Void) -> OperationSubscription {
    handlers.subscribe { if $0 == endpoint { handler() } }
  }
}

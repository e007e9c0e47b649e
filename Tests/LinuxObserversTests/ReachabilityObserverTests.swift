import Glibc
import OperationsTesting
import Synchronization
import Testing

@testable import LinuxObservers
@testable import Operations

@Suite("Reachability observer", .timeLimit(.minutes(10)))
struct ReachabilityObserverTests {
  private let clock = TestClock()
  private let network = MockNetworkObserver()
  private let isReachable = Mutexed(false)
  private let tries = Log<Void>()

  private final class Mutexed: Sendable {
    private let storage: Mutex<Bool>
    init(_ value: Bool) { storage = Mutex(value) }
    var value: Bool {
      get { storage.withLock { $0 } }
      set { storage.withLock { $0 = newValue } }
    }
  }

  private func observer(
    _ settings: ReachabilityObserver.Settings = .init(backoff: OperationBackoff(jitter: .none))
  ) -> ReachabilityObserver {
    ReachabilityObserver(settings: settings, network: network, context: .testing(clock)) {
      [isReachable, tries] _ in
      tries.append(())
      guard isReachable.value else { throw Unreachable() }
    }
  }

  @Test("Nothing is attempted without subscribers")
  func lazy() async {
    let observer = observer()
    #expect(observer.currentStatus == .disconnected)
    observer.subscribe { _ in }.cancel()
    #expect(network.subscriberCount == 0)
    #expect(tries.count <= 1)
    #expect(clock.delayCount == 0)
  }

  @Test("Delays between failed attempts grow up to a limit")
  func backoff() async {
    let settings = ReachabilityObserver.Settings(
      backoff: OperationBackoff(.exponential, base: .seconds(1), cap: .seconds(4), jitter: .none))
    let observer = observer(settings)
    let subscription = observer.subscribe { _ in }
    for seconds in [1, 2, 4, 4] {
      await clock.hasDelays(1)
      #expect(clock.remainingDelays == [.seconds(seconds)])
      clock.advance(by: .seconds(seconds))
    }
    await clock.hasDelays(1)
    #expect(tries.count == 5)
    #expect(observer.currentStatus == .disconnected)
    #expect(observer.failure == "Unreachable()")
    subscription.cancel()
  }

  @Test("Changes of the host's reachability are reported, and the host is rechecked")
  func changes() async {
    let observer = observer()
    let (statuses, continuation) = AsyncStream<NetworkConnectionStatus>.makeStream()
    let subscription = observer.subscribe { continuation.yield($0) }
    var told = statuses.makeAsyncIterator()
    await clock.hasDelays(1)
    isReachable.value = true
    clock.advance(by: .seconds(1))
    #expect(await told.next() == .connected)
    #expect(observer.currentStatus == .connected)
    #expect(observer.failure == nil)
    #expect(observer.statusChangedAt(crossing: .connected) == clock.now())
    await clock.hasDelays(1)
    #expect(clock.remainingDelays == [.seconds(60)])
    isReachable.value = false
    clock.advance(by: .seconds(60))
    #expect(await told.next() == .disconnected)
    subscription.cancel()
    #expect(observer.currentStatus == .disconnected)
  }

  @Test("A network change triggers an attempt at once")
  func woken() async {
    let observer = observer()
    let (statuses, continuation) = AsyncStream<NetworkConnectionStatus>.makeStream()
    let subscription = observer.subscribe { continuation.yield($0) }
    var told = statuses.makeAsyncIterator()
    await clock.hasDelays(1)
    isReachable.value = true
    network.send(.disconnected)
    #expect(await told.next() == .connected)
    #expect(clock.monotonic() == .zero)
    isReachable.value = false
    await clock.hasDelays(1)
    network.send(.connected)
    #expect(await told.next() == .disconnected)
    subscription.cancel()
  }

  @Test("The last subscription to end stops the attempts, their timers and the network subscription")
  func end() async {
    let observer = observer()
    let first = observer.subscribe { _ in }
    let second = observer.subscribe { _ in }
    await clock.hasDelays(1)
    first.cancel()
    #expect(clock.delayCount == 1)
    second.cancel()
    while clock.delayCount + network.subscriberCount > 0 { await Task.yield() }
    #expect(tries.count == 1)
  }

  /// Returns a socket that listens on a loopback port, and the port.
  private func listen() throws -> (descriptor: Descriptor, port: UInt16) {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = try Descriptor(socket(AF_INET, kind, 0), from: "socket")
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor.number, $0, length) + getsockname(descriptor.number, $0, &length)
      }
    }
    try #require(result == 0 && Glibc.listen(descriptor.number, 8) == 0)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  @Test("A port that accepts connections is reached, by address and by name", arguments: ["127.0.0.1", "localhost"])
  func accepts(host: String) async throws {
    let (descriptor, port) = try listen()
    try await OperationRunner(ConnectProbe(host: host, port: port)).run()
    let observer = ReachabilityObserver(host: host, port: port, network: network)
    let (statuses, continuation) = AsyncStream<NetworkConnectionStatus>.makeStream()
    let subscription = observer.subscribe { continuation.yield($0) }
    for await status in statuses where status == .connected { break }
    subscription.cancel()
    withExtendedLifetime(descriptor) {}
  }

  @Test("A port without a listener refuses the connection")
  func refuses() async throws {
    let (descriptor, port) = try listen()
    // Shut down but not closed, so that no other process gets the port.
    shutdown(descriptor.number, Int32(SHUT_RDWR))
    await #expect(throws: ObserverError.systemCall("connect", ECONNREFUSED)) {
      try await OperationRunner(ConnectProbe(host: "127.0.0.1", port: port)).run()
    }
    withExtendedLifetime(descriptor) {}
  }

  @Test("Cancellation ends a connection attempt that is not answered")
  func cancelled() async throws {
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let (near, far) = (try Descriptor(pair[0], from: "socketpair"), try Descriptor(pair[1], from: "socketpair"))
    let waiting = Task { try await ObserverThread.shared.waits(for: near, events: 1) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    withExtendedLifetime(far) {}
  }

  @Test("An invalid host name is an error")
  func unknown() async {
    await #expect(throws: ReachabilityError.self) {
      try await OperationRunner(ConnectProbe(host: "no such name", port: 1)).run()
    }
  }
}

private struct Unreachable: Error {}

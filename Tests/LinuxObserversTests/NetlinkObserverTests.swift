import OperationsTesting
import Testing

@testable import LinuxObservers
@testable import Operations

@Suite("Netlink observer")
struct NetlinkObserverTests {
  @Test("The kernel's tables can be read and contain the loopback link")
  func tables() throws {
    let tables = try NetlinkSocket(groups: 0).readTables()
    #expect(tables.links.values.contains { $0.isLoopback })
  }

  @Test("The status is the same with and without subscribers, and subscribing does not notify")
  func status() throws {
    let (observer, seen) = (NetlinkObserver(), Log<NetworkConnectionStatus>())
    let asked = observer.currentStatus
    #expect(try asked == NetlinkSocket(groups: 0).readTables().status)
    let subscription = observer.subscribe { seen.append($0) }
    #expect(observer.currentStatus == asked)
    #expect(observer.failure == nil)
    #expect(observer.statusChangedAt(crossing: .connected) == nil)
    subscription.cancel()
    #expect(observer.currentStatus == asked)
    #expect(seen.count == 0)
  }

  @Test("The observers' thread exists while there are subscribers")
  func thread() {
    let subscription = NetlinkObserver().subscribe { _ in }
    #expect(ObserverThread.shared.isRunning)
    subscription.cancel()
  }

  @Test("There is one shared observer, and it can be started permanently")
  func shared() {
    #expect(NetlinkObserver.startingShared() === NetlinkObserver.shared)
    #expect(NetlinkObserver.startingShared() === NetlinkObserver.shared)
    #expect(ObserverThread.shared.isRunning)
  }

  @Test(
    "Adding and removing links, addresses and routes changes the status at once",
    .enabled(if: NetworkNamespace.isPossible, "making a network namespace needs root, ip, nsenter and veth"),
    .timeLimit(.minutes(10)))
  func changes() async throws {
    let clock = TestClock()
    let observer = NetlinkObserver(clock: clock)
    let (statuses, continuation) = AsyncStream<NetworkConnectionStatus>.makeStream()
    let (network, subscription) = try #require(
      await NetworkNamespace.make { observer.subscribe { continuation.yield($0) } })
    var changes = statuses.makeAsyncIterator()
    #expect(observer.currentStatus == .disconnected)

    #expect(network.ip("link add near type veth peer name far"))
    #expect(network.ip("link set near up"))
    // Until now, the link has no peer.
    #expect(network.ip("link set far up"))
    #expect(await changes.next() == .requiresConnection)
    clock.advance(by: .seconds(5))
    #expect(network.ip("address add 192.0.2.1/24 dev near"))
    #expect(network.ip("route add default via 192.0.2.254"))
    #expect(await changes.next() == .connected)
    #expect(observer.statusChangedAt(crossing: .connected) == clock.now())
    #expect(observer.statusChangedAt(crossing: .requiresConnection) == clock.now().advanced(by: .seconds(-5)))

    #expect(network.ip("route del default"))
    #expect(await changes.next() == .requiresConnection)
    #expect(network.ip("route add default dev near"))
    #expect(await changes.next() == .connected)
    // The kernel drops the route with the link, without a notification.
    #expect(network.ip("link set near down"))
    // The peer loses its carrier at the same time or a moment later.
    while let status = await changes.next(), status != .disconnected { #expect(status == .requiresConnection) }
    #expect(network.ip("link set near up"))
    #expect(await changes.next() == .requiresConnection)
    #expect(network.ip("route add default nexthop via 192.0.2.253 nexthop via 192.0.2.254"))
    #expect(await changes.next() == .connected)
    #expect(network.ip("address flush dev near"))
    #expect(await changes.next() == .requiresConnection)
    #expect(network.ip("link del near"))
    #expect(await changes.next() == .disconnected)
    subscription.cancel()
  }

  @Test(
    "A connected specification becomes true when a route is added",
    .enabled(if: NetworkNamespace.isPossible, "making a network namespace needs root, ip, nsenter and veth"),
    .timeLimit(.minutes(10)))
  func specification() async throws {
    let observer = NetlinkObserver()
    let specification = ConnectedRunSpecification(to: observer)
    let context = OperationContext()
    let (values, continuation) = AsyncStream<Bool>.makeStream()
    let (network, subscription) = try #require(
      await NetworkNamespace.make {
        specification.subscribe(in: context) { continuation.yield(specification.isSatisfied(in: context)) }
      })
    #expect(!specification.isSatisfied(in: context))
    #expect(network.ip("link add near type veth peer name far"))
    #expect(network.ip("link set near up"))
    #expect(network.ip("link set far up"))
    #expect(network.ip("address add 2001:db8::1/64 dev near nodad"))
    #expect(network.ip("route add default via 2001:db8::2"))
    for await value in values where value { break }
    #expect(specification.isSatisfied(in: context))
    subscription.cancel()
  }
}

import Operations
import OperationsTesting
import Testing

@Suite("Connected")
struct ConnectedRunSpecificationTests {
  @Test(
    "It is satisfied if the network is at least as well connected as the context requires",
    arguments: NetworkConnectionStatus.allCases, NetworkConnectionStatus.allCases)
  func thresholds(status: NetworkConnectionStatus, threshold: NetworkConnectionStatus) {
    var context = OperationContext()
    context.operationSatisfiedConnectionStatus = threshold
    let specification = ConnectedRunSpecification(to: MockNetworkObserver(status))
    #expect(specification.isSatisfied(in: context) == (status.rawValue >= threshold.rawValue))
  }

  @Test("By default a full connection is required")
  func standard() {
    let network = MockNetworkObserver(.requiresConnection)
    let specification = ConnectedRunSpecification(to: network)
    #expect(!specification.isSatisfied(in: OperationContext()))
    let calls = Log<Bool>()
    let subscription = specification.subscribe(in: OperationContext()) {
      calls.append(specification.isSatisfied(in: OperationContext()))
    }
    network.send(.connected)
    network.send(.connected)
    network.send(.disconnected)
    #expect(calls.elements == [true, false])
    subscription.cancel()
    #expect(network.subscriberCount == 0)
  }

  @Test("A request can accept a lower status")
  func modifier() async throws {
    let network = MockNetworkObserver(.disconnected)
    let request = Block { ConnectedRunSpecification(to: network).isSatisfied(in: $0) }
    #expect(try await !OperationRunner(request).run())
    #expect(try await OperationRunner(request.satisfiedConnectionStatus(.disconnected)).run())
  }

  @Test("It describes since when the network has been on this side of the threshold")
  func description() {
    let clock = TestClock(now: Timestamp(seconds: 0))
    let network = MockNetworkObserver(.disconnected, clock: clock)
    let specification = ConnectedRunSpecification(to: network)
    var lenient = OperationContext()
    lenient.operationSatisfiedConnectionStatus = .requiresConnection
    #expect("\(specification.description(in: OperationContext()))" == "connected: connected is false")
    clock.advance(by: .seconds(60))
    network.send(.requiresConnection)
    clock.advance(by: .seconds(60))
    network.send(.connected)
    #expect(
      specification.description(in: OperationContext()).reason == "connected is true since 1970-01-01T00:02:00Z")
    #expect(
      specification.description(in: lenient).description
        == "connected(requires connection): connected(requires connection) is true since 1970-01-01T00:01:00Z")
  }
}

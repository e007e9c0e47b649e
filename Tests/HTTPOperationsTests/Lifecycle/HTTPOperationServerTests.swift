import Glibc
import HTTPOperations
import HTTPTypes
import LinuxObservers
import Operations
import OperationsTesting
import Testing

@Suite("The life cycle of a request with real servers")
struct HTTPOperationServerTests {
  private let clock = ImmediateClock()

  @Test(
    "An unavailable server is retried at the time that it names", .enabled(if: NginxServer.isExpected, "no nginx here"))
  func retryAfter() async throws {
    let request = HTTPTransferRequest(url: try NginxServer.shared.url + "/unavailable")
    var operation = HTTPOperation(request, by: HTTPClient(), to: .text)
    operation.retry.budget = nil
    let runner = OperationRunner(operation, context: .testing(clock))
    let error = await #expect(throws: HTTPOperationError.self) { try await runner.run() }
    #expect(clock.delays.elements == [.seconds(7), .seconds(7), .seconds(7)])
    #expect(error?.head?.status.code == 503)
    #expect(error.map { String(decoding: $0.body, as: UTF8.self) } == "later")
  }

  @Test(
    "A cancelled download resumes where it stopped",
    .enabled(if: NginxServer.isExpected, "no nginx here"))
  func resumed() async throws {
    let nginx = try NginxServer.shared
    let folder = try TemporaryFolder()
    let slow = try #require(HTTPField.Name("X-Slow"))
    var operation = HTTPOperation(
      HTTPTransferRequest(url: nginx.url + "/paced", fields: [slow: "yes"]), by: HTTPClient(),
      to: .file("\(folder.path)/bytes", length: Int64(NginxServer.bytes.count)))
    let task = Task { [operation] in try await OperationRunner(operation).run() }
    // The whole content would take a minute.
    while (folder.content(".bytes.penstock-part")?.count ?? 0) < 40_000 {
      try await Task.sleep(for: .milliseconds(5))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    operation.request.fields[slow] = nil
    let file = try await OperationRunner(operation).run()
    #expect(file.resumedFrom >= 40_000)
    #expect(file.head.status.code == 206)
    #expect(folder.content("bytes") == NginxServer.bytes)
    #expect(folder.names == ["bytes"])
  }

  @Test("A host that begins to listen is retried immediately, whatever the delay")
  func reachable() async throws {
    let server = try FaultServer(listens: false) { connection in
      // A probe for reachability sends nothing.
      guard connection.readHead() != nil else { return }
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")
    }
    let network = MockNetworkObserver()
    let clock = TestClock()
    let woken = Log<RetryWakeCause>()
    var context = OperationContext.testing(clock)
    context.retryObserver = RetryObserver(onWake: { woken.append($0) })
    var operation = HTTPOperation(HTTPTransferRequest(url: server.url), by: HTTPClient(), to: .text)
    operation.retry = HTTPRetrySettings(limit: 1, backoff: .constant(.seconds(3600)), budget: nil)
    let early = HTTPEarlyRetry(network: false, endpoint: true, peerSuccess: false, jitter: .zero)
    operation.retryProviders = [HTTPDefaultRetryProvider(early: early)]
    operation.peers = HTTPPeers(network: network) { endpoint in
      let settings = ReachabilityObserver.Settings(backoff: .constant(.milliseconds(10)))
      return ReachabilityObserver(host: endpoint.host, port: endpoint.port, settings: settings, network: network)
    }
    let task = Task { [operation, context] in try await OperationRunner(operation, context: context).run() }
    await clock.hasDelays(1)
    try server.listen()
    #expect(try await task.value == "here")
    #expect(woken.elements == [.waker("reachable")])
    #expect(clock.monotonic() == .zero)
  }
}

import HTTPOperations
import HTTPTypes
import Testing

@Suite("Timeouts of transfers")
struct ClientTimeoutTests {
  let client = HTTPClient()

  func request(_ url: String, _ timeouts: HTTPTimeouts) -> HTTPTransferRequest {
    var request = HTTPTransferRequest(url: url)
    request.options.timeouts = timeouts
    return request
  }

  @Test("a server that never answers times out")
  func firstByte() async throws {
    let server = try FaultServer { $0.waitForEnd() }
    let failure = await client.failure(request(server.url, HTTPTimeouts(firstByte: .milliseconds(100))))
    #expect(failure?.code == .firstByteTimeout)
    #expect(failure?.message.contains("no response arrived within 0.1 seconds") == true)
  }

  @Test(
    "a server that stops in the middle of its head or body times out",
    arguments: ["HTTP/1.1 200 OK\r\nX: y\r\n", "HTTP/1.1 200 OK\r\n\r\nx"])
  func idle(answer: String) async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send(answer)
      connection.waitForEnd()
    }
    let failure = await client.failure(request(server.url, HTTPTimeouts(idle: .milliseconds(100))))
    #expect(failure?.code == .idleTimeout)
  }

  @Test("a server that keeps sending is limited by the total timeout")
  func total() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\n\r\n")
      while connection.send([UInt8](repeating: 1, count: 1024)) {}
    }
    // Long enough for the first bytes, however busy the computer is.
    var request = request(server.url, HTTPTimeouts(total: .seconds(2)))
    request.options.limits.body = nil
    let failure = await client.failure(request, to: TestReceiver(.nowhere))
    #expect(failure?.code == .totalTimeout)
    #expect((failure?.bytesDelivered ?? 0) > 0)
  }

  @Test("the total timeout includes all redirects")
  func totalOfRedirects() async throws {
    let server = try FaultServer { connection in
      while connection.readHead() != nil {
        connection.send("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
      }
    }
    var request = request(server.url, HTTPTimeouts(total: .milliseconds(200)))
    request.options.redirects = .follow(limit: .max)
    #expect(await client.failure(request)?.code == .totalTimeout)
  }

  @Test("a connection that is not established in time times out")
  func connect() async throws {
    // The backlog of a socket that never accepts is soon full; then the kernel does not answer.
    let socket = try FullBacklog()
    let failure = await client.failure(request(socket.url, HTTPTimeouts(connect: .milliseconds(150))))
    #expect(failure?.code == .connectTimeout)
    #expect(failure?.message.contains("127.0.0.1:") == true)
  }

  @Test("waiting for one of limited connections does not count as connecting")
  func queued() async throws {
    let gate = TestGate()
    let arrived = AsyncStream<Void>.makeStream()
    let server = try FaultServer { connection in
      while connection.readHead() != nil {
        arrived.continuation.yield()
        gate.pass()
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    var configuration = HTTPClientConfiguration()
    configuration.connectionsPerHost = 1
    let client = HTTPClient(configuration)
    let first = request(server.url, HTTPTimeouts(connect: .seconds(1)))
    let impatient = request(server.url, HTTPTimeouts(connect: .seconds(1), total: .seconds(3)))
    async let one = client.text(first)
    for await _ in arrived.stream { break }
    // The second transfer waits behind the first, longer than its connect timeout, until its total timeout.
    #expect(await client.failure(impatient)?.code == .totalTimeout)
    gate.open()
    #expect(try await one == "ok")
  }

  @Test("a slow receiver does not count as an idle server")
  func slowReceiver() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")
      connection.send([UInt8](repeating: 1, count: 2_000_000))
      connection.waitForEnd()
    }
    // The server may also take a while on a busy computer.
    var request = request(server.url, HTTPTimeouts(idle: .seconds(1)))
    request.options.window = 1000
    let receiver = TestReceiver(onHead: { _ in try await Task.sleep(for: .milliseconds(2500)) })
    _ = try await client.transfer(request, to: receiver)
    #expect(receiver.bytes.count == 2_000_000)
  }

  @Test("a server that does not read the body counts as idle")
  func idleUpload() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      TestGate().pass()
    }
    var request = request(server.url, HTTPTimeouts(idle: .milliseconds(150)))
    request.method = .put
    request.body = .bytes([UInt8](repeating: 0, count: 50_000_000))
    #expect(await client.failure(request)?.code == .idleTimeout)
  }
}

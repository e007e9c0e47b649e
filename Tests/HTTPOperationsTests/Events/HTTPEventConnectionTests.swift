import HTTPOperations
import HTTPTypes
import Operations
import OperationsTesting
import Synchronization
import Testing

@Suite("Event sources over the network")
struct HTTPEventConnectionTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

  private let clock = ImmediateClock()

  private func source(_ server: FaultServer) -> HTTPEventSource {
    var source = HTTPEventSource(HTTPTransferRequest(url: server.url), by: HTTPClient())
    source.peers = HTTPPeers(network: MockNetworkObserver())
    return source
  }

  @Test("A stream that is cut, reset or ended anywhere continues after the last complete event")
  func cuts() async throws {
    let connections = Mutex(0)
    let server = try FaultServer { connection in
      let head = connection.readHead() ?? ""
      let number = connections.withLock { number in
        number += 1
        return number
      }
      let last = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("last-event-id: ") }
      let next = last.flatMap { Int($0.dropFirst(15)) }.map { $0 + 1 } ?? 0
      guard next < 9 else {
        connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        return
      }
      let event = "id: \(next)\ndata: \(next)\n\n"
      let half = "id: \(next + 1)\ndata: ha"
      switch number % 4 {
      case 0: connection.send(Self.head + "\r\n" + event + half)
      case 1:
        let size = String((event + half).utf8.count, radix: 16)
        connection.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n\(size)\r\n" + event + half)
      case 2: connection.send(Self.head + "Content-Length: \(event.utf8.count)\r\n\r\n" + event)
      // Close without sending anything.
      default: break
      }
    }
    let events = Log<ServerSentEvent>()
    try await source(server).run(in: .testing(clock)) { events.append($0) }
    #expect(events.elements == (0..<9).map { ServerSentEvent(data: "\($0)", id: "\($0)") })
    #expect(server.accepted == 13)
  }

  @Test("Events arrive while the connection is open, and cancelling closes it")
  func live() async throws {
    let gone = AsyncStream<Void>.makeStream()
    let next = TestGate()
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send(Self.head + "\r\n")
      for number in 1...3 {
        connection.send("data: \(number)\n\n")
        next.pass()
      }
      connection.waitForEnd()
      gone.continuation.yield()
    }
    let fourth = AsyncStream<Void>.makeStream()
    let running = Task {
      try await source(server).run(in: .testing(clock)) { event in
        if event.data == "3" { fourth.continuation.yield() }
        next.open()
      }
    }
    for await _ in fourth.stream { break }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    for await _ in gone.stream { break }
    #expect(server.accepted == 1)
  }

  @Test("A consumer that takes no events stops the server")
  func backPressure() async throws {
    let sent = Mutex(0)
    let ended = AsyncStream<Void>.makeStream()
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send(Self.head + "\r\n")
      let piece = [UInt8](("data: " + String(repeating: "x", count: 65_528) + "\n\n").utf8)
      while sent.withLock({ $0 }) < 1 << 30, connection.send(piece) { sent.withLock { $0 += piece.count } }
      ended.continuation.yield()
    }
    let first = AsyncStream<Void>.makeStream()
    let running = Task {
      try await source(server).run(in: .testing(clock)) { _ in
        first.continuation.yield()
        // Endless unless cancelled.
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task.checkCancellation()
      }
    }
    for await _ in first.stream { break }
    // The server's next piece waits for the window and the kernel's buffers, which are eventually full.
    while true {
      let before = sent.withLock { $0 }
      try await Task.sleep(for: .milliseconds(200))
      if sent.withLock({ $0 }) == before { break }
    }
    #expect(sent.withLock { $0 } < 64 << 20)
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
    for await _ in ended.stream { break }
  }

  @Test("A silent server counts as a lost connection")
  func silence() async throws {
    let connections = Mutex(0)
    let server = try FaultServer { connection in
      connection.readHead()
      let isFirst = connections.withLock { number in
        number += 1
        return number == 1
      }
      guard isFirst else {
        connection.send("HTTP/1.1 204 No Content\r\n\r\n")
        return
      }
      connection.send(Self.head + "\r\ndata: a\n\n")
      connection.waitForEnd()
    }
    let changes = Log<String>()
    let events = Log<String>()
    var source = source(server)
    source.silence = .milliseconds(300)
    source.onChange = { if case .waiting(_, let error) = $0 { changes.append(error.code) } }
    try await source.run(in: .testing(clock)) { events.append($0.data) }
    #expect(changes.elements == ["idle-timeout"])
    #expect(events.elements == ["a"])
  }
}

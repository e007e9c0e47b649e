import Glibc
import HTTPOperations
import HTTPTypes
import Synchronization
import Testing

@Suite("Bodies of responses", .enabled(if: NginxServer.isExpected, "nginx is not installed"))
struct ClientBodyTests {
  let client = HTTPClient()

  @Test("chunks arrive complete and in order, however small the window", arguments: [1, 5000, 1 << 20])
  func chunks(window: Int) async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/bytes")
    request.options.window = window
    let receiver = TestReceiver()
    let result = try await client.transfer(request, to: receiver)
    #expect(receiver.bytes == NginxServer.bytes)
    #expect(result.body.isEmpty)
    #expect(result.statistics.bytesDelivered == 1_000_000)
  }

  @Test("a slow receiver slows the server down")
  func backPressure() async throws {
    let sent = Mutex(0)
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n")
      let block = [UInt8](repeating: 1, count: 1_000_000)
      for _ in 0..<200 {
        guard connection.send(block) else { return }
        sent.withLock { $0 += block.count }
      }
    }
    let most = Mutex(0)
    let taken = Mutex(0)
    let receiver = CountingReceiver { count in
      let total = taken.withLock {
        $0 += count; return $0
      }
      most.withLock { $0 = max($0, sent.withLock { $0 } - total) }
    }
    var request = HTTPTransferRequest(url: server.url)
    request.options.window = 100_000
    _ = try await client.transfer(request, to: receiver)
    #expect(taken.withLock { $0 } == 200_000_000)
    // The rest is buffered by the kernel at both ends of the loopback connection.
    #expect(most.withLock { $0 } < 30_000_000)
  }

  @Test("the body is written to a file from its offset, and nothing after the end")
  func file() async throws {
    let server = try NginxServer.shared
    let folder = try TestFolder()
    try folder.write("before ", to: "body")
    let descriptor = open("\(folder.path)/body", O_WRONLY | O_APPEND)
    defer { close(descriptor) }
    let result = try await client.transfer(
      HTTPTransferRequest(url: "\(server.url)/bytes"), to: TestReceiver(.file(descriptor: descriptor)))
    #expect(result.statistics.bytesDelivered == 1_000_000)
    #expect(try folder.read("body") == Array("before ".utf8) + NginxServer.bytes)
  }

  @Test("a file gets the whole body even if its receiver decides late and the window is full")
  func lateFile() async throws {
    let server = try NginxServer.shared
    let folder = try TestFolder()
    try folder.write("", to: "body")
    let descriptor = open("\(folder.path)/body", O_WRONLY)
    defer { close(descriptor) }
    var request = HTTPTransferRequest(url: "\(server.url)/bytes")
    request.options.window = 10_000
    let receiver = TestReceiver(
      .file(descriptor: descriptor), onHead: { _ in try await Task.sleep(for: .milliseconds(50)) })
    _ = try await client.transfer(request, to: receiver)
    #expect(try folder.read("body") == NginxServer.bytes)
  }

  @Test("a file that cannot be written ends the transfer", arguments: ["/dev/full", "/dev/null"])
  func unwritable(path: String) async throws {
    let server = try NginxServer.shared
    // The null device is opened for reading, so that it cannot be written either.
    let descriptor = open(path, path == "/dev/full" ? O_WRONLY : O_RDONLY)
    defer { close(descriptor) }
    let failure = await client.failure(
      HTTPTransferRequest(url: "\(server.url)/bytes"), to: TestReceiver(.file(descriptor: descriptor)))
    #expect(failure?.code == .unwritableFile)
    #expect(failure?.systemError == (path == "/dev/full" ? ENOSPC : EBADF))
  }

  @Test("a receiver that refuses the head ends the transfer, and the client remains usable")
  func refused() async throws {
    struct Refusal: Error {}
    let server = try NginxServer.shared
    let receiver = TestReceiver(onHead: { _ in throw Refusal() })
    await #expect(throws: Refusal.self) {
      try await client.transfer(HTTPTransferRequest(url: "\(server.url)/bytes"), to: receiver)
    }
    #expect(receiver.bytes.isEmpty)
    #expect(try await client.text(HTTPTransferRequest(url: "\(server.url)/small.txt")) == "small")
  }

  @Test("a receiver that fails during the body ends the transfer with its error")
  func failsInTheMiddle() async throws {
    struct Enough: Error {}
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/bytes")
    request.options.window = 10_000
    await #expect(throws: Enough.self) {
      try await client.transfer(request, to: TestReceiver(onChunk: { _ in throw Enough() }))
    }
  }

  @Test("a compressed body is decompressed unless this is disabled")
  func compression() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/compressed")
    let plain = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(plain.body == NginxServer.bytes)
    #expect(plain.head.fields[.contentEncoding] == "gzip")
    #expect(plain.statistics.bytesReceived < plain.statistics.bytesDelivered)
    request.options.decompresses = false
    request.fields[.acceptEncoding] = "gzip"
    let raw = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(raw.body.starts(with: [0x1f, 0x8b]))
  }

  @Test("the limit applies to the decompressed size, and memory use stays low")
  func bomb() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/zeros")
    request.options.limits.body = 10_000_000
    let failure = await client.failure(request)
    #expect(failure?.code == .bodyTooLarge)
    #expect((failure?.bytesDelivered ?? .max) <= 10_000_000)
    #expect(failure?.message.contains("10000000 bytes") == true)
  }

  @Test("an announced length over the limit is rejected before the body is received")
  func announced() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/bytes")
    request.options.limits.body = 999_999
    #expect(await client.failure(request)?.code == .bodyTooLarge)
    request.options.limits.body = 1_000_000
    #expect(try await client.transfer(request, to: HTTPMemoryReceiver()).body.count == 1_000_000)
    // Files have their own limit, by default none.
    request.options.limits.body = 10
    #expect(try await client.transfer(request, to: TestReceiver()).statistics.bytesDelivered == 1_000_000)
    request.options.limits.file = 10
    #expect(await client.failure(request, to: TestReceiver())?.code == .bodyTooLarge)
  }

  @Test("a range is delivered as stored")
  func range() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/bytes", fields: [.range: "bytes=999990-"])
    request.options.decompresses = false
    let result = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 206)
    #expect(result.body == Array(NginxServer.bytes[999_990...]))
  }

  @Test("204 has no body")
  func empty() async throws {
    let server = try NginxServer.shared
    let result = try await client.transfer(HTTPTransferRequest(url: "\(server.url)/empty"), to: TestReceiver())
    #expect(result.head.status.code == 204)
  }
}

/// Counts the bytes and discards them.
struct CountingReceiver: HTTPBodyReceiver {
  let count: @Sendable (Int) -> Void

  func receive(_ head: HTTPResponseHead) async throws -> HTTPBodyDestination { .chunks }

  func receive(_ chunk: [UInt8]) async throws { count(chunk.count) }
}

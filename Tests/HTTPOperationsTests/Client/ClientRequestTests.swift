import HTTPOperations
import HTTPTypes
import Testing

@Suite("Requests to a real server", .enabled(if: NginxServer.isExpected, "nginx is not installed"))
struct ClientRequestTests {
  let client = HTTPClient()

  @Test("a small response arrives complete, with head and statistics")
  func small() async throws {
    let server = try NginxServer.shared
    let result = try await client.transfer(
      HTTPTransferRequest(url: "\(server.url)/small.txt"), to: HTTPMemoryReceiver())
    #expect(result.head.status == .ok)
    #expect(result.head.fields[.contentType] == "text/plain")
    #expect(result.head.version == .http1_1)
    #expect(result.head.url == "\(server.url)/small.txt")
    #expect(result.head.remoteAddress == "127.0.0.1:\(server.port)")
    #expect(String(decoding: result.body, as: UTF8.self) == "small")
    #expect(result.statistics.bytesReceived == 5)
    #expect(result.statistics.bytesDelivered == 5)
    #expect(result.statistics.connect != nil)
    #expect(result.statistics.handshake == nil)
    #expect(result.statistics.reusedConnection == false)
  }

  @Test("a connection is reused")
  func reuse() async throws {
    let server = try NginxServer.shared
    let request = HTTPTransferRequest(url: "\(server.url)/small.txt")
    _ = try await client.transfer(request, to: HTTPMemoryReceiver())
    let second = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(second.statistics.reusedConnection)
    #expect(second.statistics.connect == nil)
  }

  @Test("a large response arrives complete and in order", arguments: [true, false])
  func large(decompresses: Bool) async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/bytes")
    request.options.decompresses = decompresses
    let result = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(result.body == NginxServer.bytes)
  }

  @Test("methods are sent as spelled, and HEAD has no body")
  func methods() async throws {
    let server = try NginxServer.shared
    for method in [HTTPRequest.Method.get, .delete, .options, .patch, .put, .post] {
      let result = try await client.transfer(
        HTTPTransferRequest(method: method, url: "\(server.url)/method"), to: HTTPMemoryReceiver())
      let length = [.patch, .put, .post].contains(method) ? "0" : ""
      #expect(String(decoding: result.body, as: UTF8.self) == "\(method.rawValue) \(length) ")
    }
    let head = try await client.transfer(
      HTTPTransferRequest(method: .head, url: "\(server.url)/bytes"), to: HTTPMemoryReceiver())
    #expect(head.head.fields[.contentLength] == "1000000")
    #expect(head.body.isEmpty)
  }

  @Test("a request does not affect the next one")
  func handlesForget() async throws {
    let server = try NginxServer.shared
    for body in [HTTPTransferBody.bytes(Array("hello".utf8)), .bytes([UInt8](repeating: 7, count: 100_000)), .none] {
      _ = try await client.transfer(
        HTTPTransferRequest(
          method: .post, url: "\(server.url)/method", fields: [.authorization: "secret", .contentType: "text/x"],
          body: body
        ), to: HTTPMemoryReceiver())
      let result = try await client.transfer(HTTPTransferRequest(url: "\(server.url)/method"), to: HTTPMemoryReceiver())
      #expect(String(decoding: result.body, as: UTF8.self) == "GET  ")
      let fields = try await client.transfer(HTTPTransferRequest(url: "\(server.url)/fields"), to: HTTPMemoryReceiver())
      #expect(String(decoding: fields.body, as: UTF8.self).hasPrefix("authorization= cookie= key="))
    }
  }

  @Test("a body from memory arrives unchanged", arguments: [0, 1, 65_536, 65_537, 3_000_000])
  func uploadFromMemory(size: Int) async throws {
    let server = try NginxServer.shared
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let result = try await client.transfer(
      HTTPTransferRequest(method: .put, url: "\(server.url)/put/memory-\(size)", body: .bytes(bytes)),
      to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 201)
    #expect(result.statistics.bytesSent == Int64(size))
    #expect(try server.folder.read("files/put/memory-\(size)") == bytes)
  }

  @Test("a body from a file arrives from its offset", arguments: [0, 400_000, 1_000_000])
  func uploadFromFile(offset: Int64) async throws {
    let server = try NginxServer.shared
    let body = HTTPTransferBody.file(path: "\(server.folder.path)/files/bytes", offset: offset)
    let result = try await client.transfer(
      HTTPTransferRequest(method: .put, url: "\(server.url)/put/file-\(offset)", body: body), to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 201)
    #expect(try server.folder.read("files/put/file-\(offset)") == Array(NginxServer.bytes[Int(offset)...]))
  }

  @Test("a Unix socket is used instead of the host")
  func unixSocket() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "http://docker/fields")
    request.options.unixSocket = server.socket
    let result = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(String(decoding: result.body, as: UTF8.self).contains("host=docker "))
    #expect(result.head.remoteAddress == nil)
  }

  @Test("an unusual status is a response, not an error")
  func unavailable() async throws {
    let server = try NginxServer.shared
    let result = try await client.transfer(
      HTTPTransferRequest(url: "\(server.url)/unavailable"), to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 503)
    #expect(result.head.fields[.retryAfter] == "7")
    #expect(String(decoding: result.body, as: UTF8.self) == "later")
  }

  @Test("a user and password in the URL become basic authorization and appear in no head")
  func userInURL() async throws {
    let server = try NginxServer.shared
    let result = try await client.transfer(
      HTTPTransferRequest(url: "http://me:s%20x@127.0.0.1:\(server.port)/fields"), to: HTTPMemoryReceiver())
    #expect(String(decoding: result.body, as: UTF8.self).hasPrefix("authorization=Basic bWU6cyB4 "))
    #expect(result.head.url == "\(server.url)/fields")
  }

  @Test("many concurrent transfers all complete")
  func many() async throws {
    let server = try NginxServer.shared
    let url = "\(server.url)/small.txt"
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<500 {
        group.addTask { try await client.transfer(HTTPTransferRequest(url: url), to: HTTPMemoryReceiver()).body.count }
      }
      var total = 0
      for try await count in group { total += count }
      #expect(total == 2500)
    }
  }

  @Test("the limit on connections per host is respected")
  func connectionsPerHost() async throws {
    let server = try FaultServer { connection in
      while connection.readHead() != nil { connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }
    var configuration = HTTPClientConfiguration()
    configuration.connectionsPerHost = 3
    let client = HTTPClient(configuration)
    let url = server.url
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask { _ = try await client.transfer(HTTPTransferRequest(url: url), to: HTTPMemoryReceiver()) }
      }
      try await group.waitForAll()
    }
    #expect(server.accepted <= 3)
  }
}

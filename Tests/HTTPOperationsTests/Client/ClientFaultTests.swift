import Glibc
import HTTPOperations
import HTTPTypes
import Testing

@Suite("Misbehaving servers")
struct ClientFaultTests {
  let client = HTTPClient()

  @Test(
    "an invalid response fails with its own code",
    arguments: [
      ("", .connectionLost),
      ("garbage\r\n\r\n", .protocolViolation),
      ("HTTP/1.1\r\n\r\n", .protocolViolation),
      ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", .incompleteBody),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .incompleteBody),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", .protocolViolation),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", .protocolViolation),
      ("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", .protocolViolation),
      ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nnothing", .badEncoding),
      ("HTTP/1.1 200 OK\r\nContent-Encoding: unheard-of\r\nContent-Length: 2\r\n\r\nok", .badEncoding),
      ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 70_000))\r\n\r\n", .headTooLarge),
      ("HTTP/1.1 100 Continue\r\n\r\n", .connectionLost),
    ] as [(String, HTTPTransferError.Code)])
  func wrong(answer: String, code: HTTPTransferError.Code) async throws {
    let server = try FaultServer(answering: answer)
    let failure = await client.failure(HTTPTransferRequest(url: server.url))
    #expect(failure?.code == code, "\(answer.prefix(60)): \(String(describing: failure))")
    #expect(failure?.message.contains("127.0.0.1:\(server.port)") == true)
  }

  @Test(
    "unusual but valid responses are accepted",
    arguments: [
      ("HTTP/1.0 200 OK\r\n\r\nuntil the end", "until the end"),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", "hello"),
      ("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"),
      ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", "ok"),
      ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "ok"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more that nobody asked for", "ok"),
    ])
  func unusual(answer: String, body: String) async throws {
    let server = try FaultServer(answering: answer)
    #expect(try await client.text(HTTPTransferRequest(url: server.url)) == body)
  }

  @Test("repeated, folded, empty and non-ASCII fields are delivered as sent")
  func fields() async throws {
    let server = try FaultServer(
      answering:
        "HTTP/1.1 200 Fine\r\nSet-Cookie: a\r\nset-cookie: b\r\nX-Empty:\r\nX-Folded: one\r\n  two\r\nX-Text: gr\u{fc}n\r\nContent-Length: 0\r\n\r\n"
    )
    let head = try await client.transfer(HTTPTransferRequest(url: server.url), to: HTTPMemoryReceiver()).head
    #expect(head.status.reasonPhrase == "Fine")
    #expect(head.fields[values: .setCookie] == ["a", "b"])
    #expect(HTTPField.Name("X-Empty").flatMap { head.fields[$0] } == "")
    #expect(HTTPField.Name("X-Folded").flatMap { head.fields[$0] } == "one two")
    #expect(HTTPField.Name("X-Text").flatMap { head.fields[$0] } == "gr\u{fc}n")
  }

  /// libcurl 7.88 wrote to freed memory when one of its handles was used for both responses.
  @Test("a head that begins with a folded line is safe after one that does not")
  func foldedFirst() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 0\r\n\r\n")
      connection.readHead()
      connection.send("HTTP/1.1 103 Early\r\n Hint: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    }
    for _ in 0..<20 { _ = await client.failure(HTTPTransferRequest(url: server.url)) }
  }

  @Test("a flood of short fields exceeds the limit on the head")
  func flood() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\n")
      while connection.send("X-Field: value\r\n") {}
    }
    #expect(await client.failure(HTTPTransferRequest(url: server.url))?.code == .headTooLarge)
  }

  @Test("endless interim responses exceed the limit on the head")
  func interimFlood() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      while connection.send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") {}
    }
    #expect(await client.failure(HTTPTransferRequest(url: server.url))?.code == .headTooLarge)
  }

  @Test("a connection reset during the body is lost, and the bytes before it are counted")
  func reset() async throws {
    let gate = TestGate()
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
      gate.pass()
      connection.reset()
    }
    let receiver = TestReceiver(onChunk: { _ in gate.open() })
    let failure = await client.failure(HTTPTransferRequest(url: server.url), to: receiver)
    #expect(failure?.code == .connectionLost)
    #expect(failure?.bytesDelivered == 5)
    #expect(receiver.bytes == Array("hello".utf8))
  }

  @Test("a connection that the server has closed is replaced")
  func closedMeanwhile() async throws {
    let server = try FaultServer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    for _ in 0..<10 { #expect(try await client.text(HTTPTransferRequest(url: server.url)) == "ok") }
  }

  @Test("an unused port is reported with the system's error number")
  func nobody() async throws {
    let port = try Loopback.freePort()
    let failure = await client.failure(HTTPTransferRequest(url: "http://127.0.0.1:\(port)/"))
    #expect(failure?.code == .cannotConnect)
    #expect(failure?.systemError == ECONNREFUSED)
    #expect(failure?.curlCode == 7)
  }

  @Test("a name without an address is reported")
  func noName() async throws {
    let failure = await client.failure(HTTPTransferRequest(url: "http://nowhere.invalid/"))
    #expect(failure?.code == .nameNotResolved)
    #expect(failure?.message.contains("nowhere.invalid") == true)
  }

  @Test(
    "requests with an invalid URL fail",
    arguments: [
      ("http://127.0.0.1/a b", .invalidURL), ("http://127.0.0.1/\r\nX: y", .invalidURL), ("", .invalidURL),
      ("/path", .invalidURL), ("http://", .invalidURL), ("http://127.0.0.1:99999/", .invalidURL),
      ("file:///etc/passwd", .unsupportedScheme), ("ftp://127.0.0.1/", .unsupportedScheme),
    ] as [(String, HTTPTransferError.Code)])
  func invalid(url: String, code: HTTPTransferError.Code) async throws {
    #expect(await client.failure(HTTPTransferRequest(url: url))?.code == code)
  }

  @Test("a method that opens tunnels is rejected")
  func connectMethod() async throws {
    let failure = await client.failure(HTTPTransferRequest(method: .connect, url: "http://127.0.0.1/"))
    #expect(failure?.code == .invalidRequest)
  }

  @Test("a file to send that does not exist or is not regular is reported", arguments: ["/nowhere", "/dev/null", "/"])
  func unreadable(path: String) async throws {
    let failure = await client.failure(
      HTTPTransferRequest(method: .put, url: "http://127.0.0.1/", body: .file(path: path)))
    #expect(failure?.code == .unreadableBody)
    #expect(failure?.message.contains(path) == true)
  }

  @Test("truncating a file while it is sent ends the transfer")
  func shrinking() async throws {
    let folder = try TestFolder()
    try folder.write([UInt8](repeating: 1, count: 20_000_000), to: "body")
    let path = "\(folder.path)/body"
    let server = try FaultServer { connection in
      connection.readHead()
      truncate(path, 100)
      connection.waitForEnd()
    }
    let failure = await client.failure(HTTPTransferRequest(method: .put, url: server.url, body: .file(path: path)))
    #expect(failure?.code == .unreadableBody)
  }

  @Test("a response before the whole body was sent is delivered")
  func earlyAnswer() async throws {
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nmuch")
      connection.waitForEnd()
    }
    let result = try await client.transfer(
      HTTPTransferRequest(method: .post, url: server.url, body: .bytes([UInt8](repeating: 0, count: 20_000_000))),
      to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 413)
    #expect(result.body == Array("much".utf8))
  }
}

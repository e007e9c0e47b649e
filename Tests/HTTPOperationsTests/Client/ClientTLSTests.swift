import HTTPOperations
import HTTPTypes
import Testing

@Suite("TLS and HTTP/2", .enabled(if: NginxServer.isExpected, "nginx is not installed"))
struct ClientTLSTests {
  let client = HTTPClient()

  func request(_ url: String, _ change: (inout HTTPTransferOptions) -> Void = { _ in }) throws -> HTTPTransferRequest {
    var request = HTTPTransferRequest(url: url)
    request.options.tls.authorities = try NginxServer.shared.authority
    change(&request.options)
    return request
  }

  @Test("a server whose authority is trusted is accepted, over HTTP/2")
  func verified() async throws {
    let server = try NginxServer.shared
    let result = try await client.transfer(try request("\(server.secureURL)/small.txt"), to: HTTPMemoryReceiver())
    #expect(result.body == Array("small".utf8))
    #expect(result.head.version == .http2)
    #expect(result.statistics.handshake != nil)
  }

  @Test("a server with an untrusted authority is rejected before anything is sent")
  func unknownAuthority() async throws {
    let server = try NginxServer.shared
    let failure = await client.failure(HTTPTransferRequest(url: "\(server.secureURL)/small.txt"))
    #expect(failure?.code == .tlsNotVerified)
    #expect(failure?.message.contains("authority") == true)
  }

  @Test("a certificate for another name is rejected")
  func wrongName() async throws {
    let server = try NginxServer.shared
    let failure = await client.failure(try request("https://127.0.0.1:\(server.securePort)/small.txt"))
    #expect(failure?.code == .tlsNotVerified)
  }

  @Test("without verification any server is accepted, but its connection is not reused by transfers that verify")
  func unverified() async throws {
    let server = try NginxServer.shared
    var lax = HTTPTransferRequest(url: "\(server.secureURL)/small.txt")
    lax.options.tls.verifies = false
    #expect(try await client.text(lax) == "small")
    #expect(await client.failure(HTTPTransferRequest(url: "\(server.secureURL)/small.txt"))?.code == .tlsNotVerified)
  }

  @Test("a missing file of authorities is reported as the cause")
  func missingAuthorities() async throws {
    let server = try NginxServer.shared
    let failure = await client.failure(
      try request("\(server.secureURL)/small.txt") { $0.tls.authorities = "/nowhere.pem" })
    #expect(failure?.code == .tlsSettings)
    #expect(failure?.message.contains("/nowhere.pem") == true)
  }

  @Test("a client certificate is sent only with a request that names it")
  func clientCertificate() async throws {
    let server = try NginxServer.shared
    let folder = server.folder.path
    let certificate = HTTPTLSSettings.Certificate(chain: "\(folder)/client.pem", key: "\(folder)/client.key")
    let shown = try request("\(server.certifiedURL)/small.txt") { $0.tls.certificate = certificate }
    #expect(try await client.text(shown) == "small")
    let hidden = try await client.transfer(try request("\(server.certifiedURL)/small.txt"), to: HTTPMemoryReceiver())
    #expect(hidden.head.status.code == 400)
    let wrong = try request("\(server.certifiedURL)/small.txt") { $0.tls.certificate = .init(chain: "/nowhere.pem") }
    #expect(await client.failure(wrong)?.code == .tlsSettings)
  }

  @Test("the requested version is used")
  func versions() async throws {
    let server = try NginxServer.shared
    let one = try request("\(server.secureURL)/small.txt") { $0.version = .http1_1 }
    #expect(try await client.transfer(one, to: HTTPMemoryReceiver()).head.version == .http1_1)
    var plain = HTTPTransferRequest(url: "\(server.plainHTTP2URL)/small.txt")
    plain.options.version = .http2PriorKnowledge
    #expect(try await client.transfer(plain, to: HTTPMemoryReceiver()).head.version == .http2)
    let three = try request("\(server.secureURL)/small.txt") { $0.tls.minimumVersion = .tls1_3 }
    #expect(try await client.text(three) == "small")
  }

  @Test("many transfers share one connection over HTTP/2")
  func multiplexing() async throws {
    let server = try NginxServer.shared
    let request = try request("\(server.secureURL)/bytes")
    let made = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let result = try await client.transfer(request, to: HTTPMemoryReceiver())
          #expect(result.body == NginxServer.bytes)
          return !result.statistics.reusedConnection
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(made == 1)
  }

  @Test("a slow receiver does not delay others over HTTP/2")
  func slowReceiver() async throws {
    let server = try NginxServer.shared
    let request = try request("\(server.secureURL)/bytes") { $0.window = 20_000 }
    let url = "\(server.secureURL)/small.txt"
    let small = try self.request(url)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (goes, go) = AsyncStream.makeStream(of: Void.self)
    let receiver = TestReceiver(
      onHead: { _ in
        begin.yield()
        for await _ in goes { break }
      })
    async let slow = client.transfer(request, to: receiver)
    for await _ in begun { break }
    for _ in 0..<20 { #expect(try await client.text(small) == "small") }
    go.yield()
    _ = try await slow
    #expect(receiver.bytes == NginxServer.bytes)
  }

  @Test("a body is uploaded over HTTP/2")
  func upload() async throws {
    let server = try NginxServer.shared
    let bytes = [UInt8](repeating: 9, count: 2_000_000)
    var put = try request("\(server.secureURL)/put/two")
    put.method = .put
    put.body = .bytes(bytes)
    #expect(try await client.transfer(put, to: HTTPMemoryReceiver()).head.status.code == 201)
    #expect(try server.folder.read("files/put/two") == bytes)
  }
}

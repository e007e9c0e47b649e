import HTTPOperations
import HTTPTypes
import Testing

@Suite("Redirects", .enabled(if: NginxServer.isExpected, "nginx is not installed"))
struct ClientRedirectTests {
  let client = HTTPClient()
  let secrets: HTTPFields = [.authorization: "Bearer x", .cookie: "a=b", .init("X-Api-Key") ?? .accept: "k"]

  @Test(
    "a redirect keeps or changes the method and the body according to its status",
    arguments: [
      (301, HTTPRequest.Method.get, "GET  "), (301, .post, "GET  "), (301, .put, "PUT 4 text/x"),
      (302, .get, "GET  "), (302, .post, "GET  "), (302, .delete, "DELETE 4 text/x"),
      (303, .get, "GET  "), (303, .post, "GET  "), (303, .put, "GET  "),
      (307, .get, "GET  "), (307, .post, "POST 4 text/x"), (307, .put, "PUT 4 text/x"),
      (308, .get, "GET  "), (308, .post, "POST 4 text/x"),
    ] as [(Int, HTTPRequest.Method, String)])
  func methods(status: Int, method: HTTPRequest.Method, answer: String) async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(method: method, url: "\(server.url)/\(status)")
    if method != .get {
      request.body = .bytes(Array("body".utf8))
      request.fields[.contentType] = "text/x"
    }
    let result = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(String(decoding: result.body, as: UTF8.self) == answer)
    #expect(result.statistics.redirects == 1)
    #expect(result.head.url == "\(server.url)/method")
  }

  @Test("HEAD remains HEAD")
  func head() async throws {
    let server = try NginxServer.shared
    let result = try await client.transfer(
      HTTPTransferRequest(method: .head, url: "\(server.url)/303"), to: HTTPMemoryReceiver())
    #expect(result.head.url == "\(server.url)/method")
    #expect(result.body.isEmpty)
  }

  @Test("credentials are sent to the same host and not to others")
  func credentials() async throws {
    let server = try NginxServer.shared
    let redirects = HTTPRedirects.follow(secretFields: [HTTPField.Name("X-Api-Key") ?? .accept])
    func ask(_ path: String) async throws -> String {
      var request = HTTPTransferRequest(url: "\(server.url)\(path)", fields: secrets)
      request.options.redirects = redirects
      return try await client.text(request)
    }
    #expect(try await ask("/here").hasPrefix("authorization=Bearer x cookie=a=b key=k "))
    // Another port, and another name of the same computer.
    #expect(try await ask("/elsewhere").hasPrefix("authorization= cookie= key= "))
    #expect(try await ask("/other-name").hasPrefix("authorization= cookie= key= "))
  }

  @Test("a user and password in the URL are sent to the same host, and those in a Location are never used")
  func userInURL() async throws {
    let server = try NginxServer.shared
    let base = "http://me:x@127.0.0.1:\(server.port)"
    #expect(try await client.text(HTTPTransferRequest(url: "\(base)/here")).hasPrefix("authorization=Basic bWU6eA== "))
    #expect(try await client.text(HTTPTransferRequest(url: "\(base)/elsewhere")).hasPrefix("authorization= "))
    #expect(
      try await client.text(HTTPTransferRequest(url: "\(server.url)/user-in-location")).hasPrefix("authorization= "))
  }

  @Test("a redirect cycle ends at the limit")
  func circle() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/loop")
    request.options.redirects = .follow(limit: 3)
    let failure = await client.failure(request)
    #expect(failure?.code == .tooManyRedirects)
    #expect(failure?.message.contains("after 3 redirects") == true)
  }

  @Test("a redirect from https to http is followed only if allowed")
  func insecure() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.secureURL)/insecure")
    request.options.tls.authorities = server.authority
    #expect(await client.failure(request)?.code == .redirectRefused)
    request.options.redirects = .follow(allowsInsecure: true)
    #expect(try await client.text(request).contains("host=127.0.0.1"))
  }

  @Test("a redirect to another scheme is not followed")
  func otherScheme() async throws {
    let server = try NginxServer.shared
    let failure = await client.failure(HTTPTransferRequest(url: "\(server.url)/file-scheme"))
    #expect(failure?.code == .redirectRefused)
    #expect(failure?.message.contains("'file'") == true)
  }

  @Test("a redirect is delivered as a response if redirects are not followed")
  func delivered() async throws {
    let server = try NginxServer.shared
    var request = HTTPTransferRequest(url: "\(server.url)/302")
    request.options.redirects = .deliver
    let result = try await client.transfer(request, to: HTTPMemoryReceiver())
    #expect(result.head.status.code == 302)
    #expect(result.head.fields[.location] == "\(server.url)/method")
  }

  @Test("the body of a redirect does not count against the limit, and an endless one is not waited for")
  func endlessRedirect() async throws {
    let target = try NginxServer.shared
    let location = "\(target.url)/small.txt"
    let server = try FaultServer { connection in
      connection.readHead()
      connection.send("HTTP/1.1 302 Found\r\nLocation: \(location)\r\n\r\n")
      while connection.send([UInt8](repeating: 120, count: 65536)) {}
    }
    #expect(try await client.text(HTTPTransferRequest(url: server.url)) == "small")
  }
}

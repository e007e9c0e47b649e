import HTTPOperations
import HTTPTypes
import Testing

@Suite("Proxies", .enabled(if: NginxServer.isExpected, "nginx is not installed"))
struct ClientProxyTests {
  let client = HTTPClient()

  func request(_ url: String, _ proxies: HTTPProxies) throws -> HTTPTransferRequest {
    var request = HTTPTransferRequest(url: url)
    request.options.proxies = proxies
    request.options.tls.authorities = try NginxServer.shared.authority
    return request
  }

  @Test(
    "http goes through the proxy, https by a tunnel", .enabled(if: ProxyServer.isExpected, "tinyproxy is not installed")
  )
  func throughProxy() async throws {
    let server = try NginxServer.shared
    let proxy = try ProxyServer()
    let proxies = HTTPProxies(all: "http://127.0.0.1:\(proxy.port)")
    let plain = try await client.transfer(try request("\(server.url)/small.txt", proxies), to: HTTPMemoryReceiver())
    #expect(plain.head.remoteAddress == "127.0.0.1:\(proxy.port)")
    #expect(plain.head.fields[.via]?.contains("penstock-test") == true)
    let secure = try await client.transfer(
      try request("\(server.secureURL)/small.txt", proxies), to: HTTPMemoryReceiver())
    #expect(secure.body == Array("small".utf8))
    #expect(secure.head.fields[.via] == nil)
    let direct = HTTPProxies(all: "http://127.0.0.1:\(proxy.port)", bypass: "example.com,127.0.0.0/8")
    let around = try await client.transfer(try request("\(server.url)/small.txt", direct), to: HTTPMemoryReceiver())
    #expect(around.head.remoteAddress == "127.0.0.1:\(server.port)")
  }

  @Test("a proxy can require a password", .enabled(if: ProxyServer.isExpected, "tinyproxy is not installed"))
  func password() async throws {
    let server = try NginxServer.shared
    let proxy = try ProxyServer(user: "me", password: "secret")
    let with = HTTPProxies(all: "http://me:secret@127.0.0.1:\(proxy.port)")
    let without = HTTPProxies(all: "http://127.0.0.1:\(proxy.port)")
    #expect(try await client.text(try request("\(server.url)/small.txt", with)) == "small")
    #expect(try await client.text(try request("\(server.secureURL)/small.txt", with)) == "small")
    let plain = try await client.transfer(try request("\(server.url)/small.txt", without), to: HTTPMemoryReceiver())
    #expect(plain.head.status.code == 407)
    let failure = await client.failure(try request("\(server.secureURL)/small.txt", without))
    #expect(failure?.code == .proxyFailed)
    #expect(failure?.message.contains("proxy") == true)
    // The proxy's credentials are never sent to the server behind it.
    let fields = try await client.text(try request("\(server.url)/fields", with))
    #expect(fields.hasPrefix("authorization= "))
  }

  @Test(
    "requests pass through a SOCKS proxy, which resolves the name",
    .enabled(if: SocksServer.isExpected, "microsocks is not installed"), arguments: ["socks5", "socks5h"])
  func socks(scheme: String) async throws {
    let server = try NginxServer.shared
    let proxy = try SocksServer()
    let proxies = HTTPProxies(all: "\(scheme)://127.0.0.1:\(proxy.port)")
    #expect(try await client.text(try request("http://localhost:\(server.port)/small.txt", proxies)) == "small")
    #expect(try await client.text(try request("\(server.secureURL)/small.txt", proxies)) == "small")
    let port = try Loopback.freePort()
    #expect(await client.failure(try request("http://127.0.0.1:\(port)/", proxies))?.code == .proxyFailed)
  }

  @Test("a missing proxy, and one whose name has no address, are reported")
  func missing() async throws {
    let server = try NginxServer.shared
    let port = try Loopback.freePort()
    let nobody = HTTPProxies(all: "http://127.0.0.1:\(port)")
    #expect(await client.failure(try request("\(server.url)/small.txt", nobody))?.code == .cannotConnect)
    let nameless = HTTPProxies(all: "http://nowhere.invalid:80")
    #expect(await client.failure(try request("\(server.url)/small.txt", nameless))?.code == .proxyNotResolved)
  }

  @Test("a client without its own proxies uses those of the environment at its creation")
  func environment() {
    func proxies(_ values: [String: String]) -> HTTPProxies { HTTPProxies.fromEnvironment { values[$0] } }
    #expect(proxies([:]) == .none)
    #expect(proxies(["http_proxy": "http://a"]) == HTTPProxies(http: "http://a"))
    #expect(proxies(["HTTP_PROXY": "http://a"]) == .none)
    #expect(proxies(["HTTPS_PROXY": "http://a", "https_proxy": ""]) == HTTPProxies(https: "http://a"))
    #expect(proxies(["ALL_PROXY": "socks5h://a", "NO_PROXY": "b"]) == HTTPProxies(all: "socks5h://a", bypass: "b"))
    #expect(proxies(["all_proxy": "x", "http_proxy": "y"]) == HTTPProxies(http: "y", https: "x"))
  }
}

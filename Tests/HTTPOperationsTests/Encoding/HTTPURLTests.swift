import HTTPOperations
import HTTPTypes
import Testing

@Suite("URLs")
struct HTTPURLTests {
  @Test("A URL is split into its parts, with host and scheme in lower case")
  func parts() throws {
    let url = try HTTPURL("HTTPS://Ann:s%40cret@Example.ORG:8443/a%20b/c?q=1&r#fragment")
    #expect(url.scheme == "https")
    #expect(url.host == "example.org")
    #expect(url.port == 8443)
    #expect(url.user == "Ann")
    #expect(url.password == "s@cret")
    #expect(url.path == "/a%20b/c")
    #expect(url.query == "q=1&r")
    #expect(url.text == "https://example.org:8443/a%20b/c?q=1&r")
    #expect(url.endpoint == HTTPEndpoint(scheme: "https", host: "example.org", port: 8443))
  }

  @Test(
    "The default port is that of the scheme",
    arguments: [
      ("http://h", 80, "http://h/"), ("https://h/x", 443, "https://h/x"),
      ("http://[::1]:8080/", 8080, "http://[::1]:8080/"),
    ])
  func ports(text: String, port: UInt16, normal: String) throws {
    let url = try HTTPURL(text)
    #expect(url.port == port)
    #expect(url.text == normal)
  }

  @Test(
    "An invalid URL is rejected",
    arguments: [
      ("", HTTPEncodingError.Code.invalidURL), ("example.org", .invalidURL), ("http://", .invalidURL),
      ("http://h/a b", .invalidURL), ("http://h/\r\nX: y", .invalidURL), ("http://h:0/", .invalidURL),
      ("http://h:65536/", .invalidURL), ("http://hé/", .invalidURL), ("ftp://h/", .unsupportedScheme),
      ("file:///etc/passwd", .unsupportedScheme), ("javascript:alert(1)", .invalidURL),
    ])
  func refused(text: String, code: HTTPEncodingError.Code) {
    let error = #expect(throws: HTTPEncodingError.self) { try HTTPURL(text) }
    #expect(error?.code == code, "\(text): \(String(describing: error))")
  }

  @Test("A URL is shown without user, password and query")
  func shown() throws {
    #expect(try HTTPURL("https://ann:secret@h/path?token=secret").shown == "https://h/path?…")
    #expect(HTTPURL.shown("not a url secret") == "the URL")
  }

  @Test("A value of a query cannot end its parameter, whatever bytes it has")
  func injection() throws {
    for value in ["a&b=c", "x#y", "é ü", "%26", "+", "\r\n", "\0", "?", "=", "/../", "&amp;", "日本"] {
      var url = try HTTPURL("http://h/?a=1")
      url.append(query: [HTTPQueryItem("v", value), HTTPQueryItem("z", nil)])
      let pairs = (url.query ?? "").split(separator: "&", omittingEmptySubsequences: false)
      #expect(pairs.count == 3 && pairs[0] == "a=1" && pairs[2] == "z", "\(value)")
      let encoded = pairs[1].dropFirst("v=".count)
      #expect(PercentEncoding.decode(encoded).map { String(decoding: $0, as: UTF8.self) } == value)
      // It survives being parsed again.
      #expect(try HTTPURL(url.text).query == url.query)
    }
  }

  @Test("Every byte survives percent-encoding, and a broken escape is rejected")
  func bytes() {
    let all = (0...255).map { UInt8($0) }
    #expect(PercentEncoding.decode(PercentEncoding.encode(all)) == all)
    #expect(PercentEncoding.encode("AZaz09-._~") == "AZaz09-._~")
    #expect(PercentEncoding.decode("%4") == nil)
    #expect(PercentEncoding.decode("%zz") == nil)
    #expect(PercentEncoding.decode("a+b", plusAsSpace: true) == Array("a b".utf8))
    #expect(PercentEncoding.decode("a+b") == Array("a+b".utf8))
  }
}

@Suite("Fields")
struct HTTPFieldsTests {
  @Test("The value of a field cannot begin another line")
  func injection() {
    for value in ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "a\u{7F}b", "a\u{1B}b"] {
      var fields = HTTPFields()
      let error = #expect(throws: HTTPEncodingError.self) { try fields.append(name: "X-Name", value: value) }
      #expect(error?.code == .invalidFieldValue)
      #expect(error?.message.contains("X-Name") == true)
      #expect(fields.isEmpty)
    }
  }

  @Test("The name of a field is a token")
  func names() {
    for name in ["", "a b", "a:b", "a\r\nb", ":path", "é"] {
      var fields = HTTPFields()
      let error = #expect(throws: HTTPEncodingError.self) { try fields.append(name: name, value: "v") }
      #expect(error?.code == .invalidFieldName)
    }
  }

  @Test("Space around a value is removed, and text beyond ASCII is kept")
  func values() throws {
    var fields = HTTPFields()
    try fields.append(name: "x-a", value: " \té ü\t ")
    try fields.append(name: "X-A", value: "")
    let name = try #require(HTTPField.Name("x-a"))
    #expect(fields[values: name] == ["é ü", ""])
  }

  @Test("A method is a token, converted to upper case")
  func methods() throws {
    #expect(try HTTPRequest.Method(checking: "get") == .get)
    #expect(try HTTPRequest.Method(checking: "Query").rawValue == "QUERY")
    for method in ["", "GET /", "GET\r\n", "é"] {
      #expect(throws: HTTPEncodingError.self) { try HTTPRequest.Method(checking: method) }
    }
  }
}

import Glibc
import HTTPOperations
import Testing

@Suite("Authorization")
struct HTTPAuthorizationTests {
  @Test("Basic is base 64 of user and password, as in the examples of RFC 7617")
  func basic() throws {
    #expect(
      try HTTPAuthorization.basic(user: "Aladdin", password: "open sesame").fieldValue(for: "h")
        == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(
      try HTTPAuthorization.basic(user: "test", password: "123£").fieldValue(for: "h") == "Basic dGVzdDoxMjPCow==")
    #expect(try HTTPAuthorization.basic(user: "", password: "").fieldValue(for: "h") == "Basic Og==")
  }

  @Test("A bearer token is sent unchanged")
  func bearer() throws {
    #expect(try HTTPAuthorization.bearer("aB1-._~+/==").fieldValue(for: "h") == "Bearer aB1-._~+/==")
  }

  @Test("Credentials that would be altered or end the line are rejected without showing them")
  func refused() {
    let all: [HTTPAuthorization] = [
      .basic(user: "us:er", password: "secret"), .basic(user: "a\n", password: "secret"),
      .basic(user: "a", password: "secret\r\nX: y"), .bearer(""), .bearer("secret\n"), .bearer("sec ret"),
      .bearer("=secret"), .bearer("secré"),
    ]
    for authorization in all {
      let error = #expect(throws: HTTPEncodingError.self) { try authorization.fieldValue(for: "h") }
      #expect(error?.code == .invalidCredentials)
      #expect(error?.message.contains("sec") == false)
    }
  }
}

@Suite("Netrc files")
struct NetrcFileTests {
  private let text = """
    # A comment.
    machine example.org login ann password "two words \\"quoted\\""
    machine Example.net
      login bob
      account ignored
      password #hash
    macdef init
    machine evil.example login x password y

    default login anonymous password guest
    machine late.example login l password p
    """

  @Test("The login of a host is found regardless of case")
  func hosts() throws {
    let file = try NetrcFile(text)
    #expect(file.login(for: "EXAMPLE.org") == .init(user: "ann", password: "two words \"quoted\""))
    #expect(file.login(for: "example.net") == .init(user: "bob", password: "#hash"))
    #expect(file.login(for: "late.example") == .init(user: "l", password: "p"))
    #expect(file.login(for: "other.example") == .init(user: "anonymous", password: "guest"))
    #expect(file.login(for: "evil.example") == .init(user: "anonymous", password: "guest"))
    #expect(try NetrcFile("machine a login b password c").login(for: "d") == nil)
    #expect(try HTTPAuthorization.netrc(file).fieldValue(for: "example.net") == "Basic Ym9iOiNoYXNo")
  }

  @Test("Errors report the line but no passwords")
  func wrong() {
    let error = #expect(throws: HTTPEncodingError.self) { try NetrcFile("machine a\nlogin b\npassword c secret") }
    #expect(
      error?.message == "the netrc file, line 3: expected machine, default, login, password, account or macdef")
    let end = #expect(throws: HTTPEncodingError.self) { try NetrcFile("machine a login") }
    #expect(end?.message == "the netrc file, line 1: 'login' has no value")
  }

  @Test("A file that others can read is rejected")
  func permissions() throws {
    let folder = try TemporaryFolder()
    try folder.make("netrc", Array("machine a login b password c".utf8))
    #expect(try NetrcFile(path: "\(folder.path)/netrc").login(for: "a")?.user == "b")
    #expect(chmod("\(folder.path)/netrc", 0o644) == 0)
    let error = #expect(throws: HTTPEncodingError.self) { try NetrcFile(path: "\(folder.path)/netrc") }
    #expect(error?.message.contains("chmod 600") == true)
  }
}

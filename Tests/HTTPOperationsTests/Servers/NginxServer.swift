import Glibc

/// An nginx server on loopback with its own configuration, shared by all tests.
final class NginxServer: Sendable {
  let folder: TestFolder
  /// The port of `http`, and of another server with the same content, which is a different origin.
  let port: UInt16
  let otherPort: UInt16
  /// The ports of `https`: one with HTTP/2, and one without that requires a client certificate.
  let securePort: UInt16
  let certifiedPort: UInt16
  /// HTTP/2 without TLS.
  let plainHTTP2Port: UInt16
  private let process: ServerProcess

  static let isExpected = ServerProcess.isExpected("nginx")
  private static let starting = Result { try NginxServer() }

  /// The server.
  static var shared: NginxServer { get throws { try starting.get() } }

  var url: String { "http://127.0.0.1:\(port)" }
  var otherURL: String { "http://127.0.0.1:\(otherPort)" }
  var secureURL: String { "https://localhost:\(securePort)" }
  var certifiedURL: String { "https://localhost:\(certifiedPort)" }
  var plainHTTP2URL: String { "http://127.0.0.1:\(plainHTTP2Port)" }
  var socket: String { "\(folder.path)/socket" }
  /// The certificate of the servers, which signs itself and the client's certificate.
  var authority: String { "\(folder.path)/server.pem" }

  /// The content of `/bytes`: a million bytes of which no two neighbouring blocks are alike.
  static let bytes: [UInt8] = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  /// The number of zeros in `/zeros`, which is sent compressed.
  static let zeros: Int64 = 1 << 30

  private init() throws {
    guard let program = ServerProcess.find("nginx") else {
      throw ServerFailure("nginx is missing: 'make test' unpacks it, or install the package nginx-light")
    }
    folder = try TestFolder()
    let path = folder.path
    chmod(path, 0o755)
    mkdir("\(path)/files", 0o755)
    mkdir("\(path)/files/put", 0o777)
    try folder.write(Self.bytes, to: "files/bytes")
    try folder.write("small", to: "files/small.txt")
    try ServerProcess.run("truncate -s \(Self.zeros) '\(path)/files/zeros'")
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    try ServerProcess.run(
      """
      cd '\(path)' && openssl req -x509 \(key) -keyout server.key -out server.pem -days 7 -subj /CN=localhost \
      -addext subjectAltName=DNS:localhost && openssl req \(key) -keyout client.key -out client.csr -subj /CN=client && \
      openssl x509 -req -in client.csr -CA server.pem -CAkey server.key -CAcreateserial -out client.pem -days 7
      """)
    port = try Loopback.freePort()
    otherPort = try Loopback.freePort()
    securePort = try Loopback.freePort()
    certifiedPort = try Loopback.freePort()
    plainHTTP2Port = try Loopback.freePort()
    try folder.write(
      Self.configuration(path, port, otherPort, securePort, certifiedPort, plainHTTP2Port), to: "nginx.conf")
    process = try ServerProcess([program, "-p", path, "-c", "\(path)/nginx.conf", "-e", "\(path)/errors"])
    for port in [port, otherPort, securePort, certifiedPort, plainHTTP2Port] { try Loopback.wait(for: port) }
  }

  private static func configuration(
    _ path: String, _ port: UInt16, _ other: UInt16, _ secure: UInt16, _ certified: UInt16, _ plainHTTP2: UInt16
  ) -> String {
    let certificate = "ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate server.pem; ssl_certificate_key server.key;"
    let locations = """
      root files;
      location = /method { return 200 "$request_method $content_length $content_type"; }
      location = /fields {
        return 200 "authorization=$http_authorization cookie=$http_cookie key=$http_x_api_key host=$http_host agent=$http_user_agent";
      }
      location = /301 { return 301 /method; }
      location = /302 { return 302 /method; }
      location = /303 { return 303 /method; }
      location = /307 { return 307 /method; }
      location = /308 { return 308 /method; }
      location = /here { return 302 /fields; }
      location = /elsewhere { return 302 http://127.0.0.1:\(other)/fields; }
      location = /other-name { return 302 http://localhost:$server_port/fields; }
      location = /insecure { return 302 http://127.0.0.1:\(port)/fields; }
      location = /loop { return 302 /loop; }
      location = /file-scheme { return 302 file:///etc/passwd; }
      location = /user-in-location { return 302 http://intruder:secret@127.0.0.1:$server_port/fields; }
      location = /unavailable { add_header Retry-After 7 always; return 503 later; }
      location = /empty { return 204; }
      location = /zeros { gzip on; gzip_types *; gzip_comp_level 1; }
      location = /slow { limit_rate 20k; alias files/bytes; }
      location = /paced { limit_rate $rate; alias files/bytes; }
      location = /compressed { gzip on; gzip_types *; gzip_min_length 1; alias files/bytes; }
      location /put/ { dav_methods PUT DELETE; client_max_body_size 0; client_body_buffer_size 1m; }
      """
    return """
      daemon off;
      master_process off;
      pid pid;
      error_log errors warn;
      events { worker_connections 1024; }
      http {
        access_log off;
        default_type application/octet-stream;
        types { text/plain txt; }
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        keepalive_requests 100000;
        map $http_x_slow $rate { default 0; yes 20k; }
        \(certificate)
        server { listen 127.0.0.1:\(port); listen unix:\(path)/socket; \(locations) }
        server { listen 127.0.0.1:\(other); \(locations) }
        server { listen 127.0.0.1:\(secure) ssl http2; \(locations) }
        server { listen 127.0.0.1:\(certified) ssl; ssl_client_certificate server.pem; ssl_verify_client on; \(locations) }
        server { listen 127.0.0.1:\(plainHTTP2) http2; \(locations) }
      }
      """
  }
}

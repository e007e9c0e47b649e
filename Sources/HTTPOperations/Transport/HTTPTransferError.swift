/// Why a transfer failed.
public struct HTTPTransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure. The raw values are stable: they are stored in histories and used in pipelines.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The URL is invalid, or has no host.
    case invalidURL = "invalid-url"
    /// The URL's scheme is neither `http` nor `https`.
    case unsupportedScheme = "unsupported-scheme"
    /// The method or a field cannot be sent.
    case invalidRequest = "invalid-request"
    /// The host has no address, or it cannot be looked up.
    case nameNotResolved = "name-not-resolved"
    /// The proxy's host has no address.
    case proxyNotResolved = "proxy-not-resolved"
    /// The host does not accept connections, or there is no route to it.
    case cannotConnect = "cannot-connect"
    /// The proxy refused the request.
    case proxyFailed = "proxy-failed"
    /// The connection timed out.
    case connectTimeout = "connect-timeout"
    /// The response timed out.
    case firstByteTimeout = "first-byte-timeout"
    /// No bytes were transferred for too long.
    case idleTimeout = "idle-timeout"
    /// The whole transfer timed out.
    case totalTimeout = "total-timeout"
    /// The TLS handshake failed.
    case tlsFailed = "tls-failed"
    /// The server's certificate could not be verified.
    case tlsNotVerified = "tls-not-verified"
    /// A certificate or key file cannot be used, or the server requires a certificate that was not given.
    case tlsSettings = "tls-settings"
    /// The connection ended before the response was complete, or before it began.
    case connectionLost = "connection-lost"
    /// The body is shorter than announced.
    case incompleteBody = "incomplete-body"
    /// The response is not HTTP.
    case protocolViolation = "protocol-violation"
    /// The body cannot be decompressed.
    case badEncoding = "bad-encoding"
    /// The head is longer than allowed.
    case headTooLarge = "head-too-large"
    /// The body is longer than allowed.
    case bodyTooLarge = "body-too-large"
    /// There were too many redirects.
    case tooManyRedirects = "too-many-redirects"
    /// A redirect cannot be followed: from `https` to `http`, to another scheme, or to an invalid URL.
    case redirectRefused = "redirect-refused"
    /// The file with the request's body cannot be read, or changed while it was sent.
    case unreadableBody = "unreadable-body"
    /// The file for the response's body cannot be written.
    case unwritableFile = "unwritable-file"
    /// The client was shut down.
    case clientClosed = "client-closed"
    /// The process is out of memory, descriptors or threads, or libcurl failed otherwise.
    case internalFailure = "internal-failure"
  }

  /// The kind of failure.
  public var code: Code
  /// What happened, for which host, and what to do, for people to read. Contains no user, password or query.
  public var message: String
  /// libcurl's `CURLcode`; 0 if libcurl did not detect the failure.
  public var curlCode: Int32
  /// The operating system's errno, or 0.
  public var systemError: Int32
  /// Whether the failure may be that of a proxy, or of a host that a redirect led to, instead of the requested host.
  public var isElsewhere = false
  /// The errno if the process had no descriptor, thread or memory for the transfer, and no request was sent; otherwise nil.
  package var shortage: Int32?
  /// The number of bytes of the request's body that were sent.
  public var bytesSent: Int64
  /// The number of bytes of the response's body that were delivered.
  public var bytesDelivered: Int64

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    curlCode: Int32 = 0,
    systemError: Int32 = 0,
    bytesSent: Int64 = 0,
    bytesDelivered: Int64 = 0
  ) {
    self.code = code
    self.message = message
    self.curlCode = curlCode
    self.systemError = systemError
    self.bytesSent = bytesSent
    self.bytesDelivered = bytesDelivered
  }

  /// Creates an error for a transfer that could not begin because the process has no descriptor, thread or memory for it.
  init(_ code: Code, _ message: String, shortage: Int32) {
    self.init(code, message, systemError: shortage)
    self.shortage = shortage
  }

  /// Whether the requested host could not be reached.
  public var isUnreachable: Bool { HTTPRetryTable.kind(of: code) == .unreachable && !isElsewhere }

  /// The message.
  public var description: String { message }
}

/// Why a transfer failed.
public struct HTTPTransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it is. The raw values are stable: they are in histories and in pipelines.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The URL cannot be read, or has no host.
    case invalidURL = "invalid-url"
    /// The URL's scheme is neither `http` nor `https`.
    case unsupportedScheme = "unsupported-scheme"
    /// The method or a field cannot be sent as it is.
    case invalidRequest = "invalid-request"
    /// The host has no address, or nobody tells it.
    case nameNotResolved = "name-not-resolved"
    /// The proxy's host has no address.
    case proxyNotResolved = "proxy-not-resolved"
    /// Nothing accepts connections there, or there is no way to it.
    case cannotConnect = "cannot-connect"
    /// The proxy does not do what it was asked.
    case proxyFailed = "proxy-failed"
    /// There was no connection in time.
    case connectTimeout = "connect-timeout"
    /// There was no response in time.
    case firstByteTimeout = "first-byte-timeout"
    /// Nothing came or went for too long.
    case idleTimeout = "idle-timeout"
    /// All together took too long.
    case totalTimeout = "total-timeout"
    /// The handshake of TLS failed.
    case tlsFailed = "tls-failed"
    /// The server did not prove who it is.
    case tlsNotVerified = "tls-not-verified"
    /// A file of certificates or keys cannot be used, or the server wants a certificate that is not there.
    case tlsSettings = "tls-settings"
    /// The connection ended before the response was whole, or before there was any of it.
    case connectionLost = "connection-lost"
    /// The body is shorter than announced.
    case incompleteBody = "incomplete-body"
    /// What the server sends is not HTTP.
    case protocolViolation = "protocol-violation"
    /// The body cannot be decompressed.
    case badEncoding = "bad-encoding"
    /// The head is longer than allowed.
    case headTooLarge = "head-too-large"
    /// The body is longer than allowed.
    case bodyTooLarge = "body-too-large"
    /// Redirects did not come to an end.
    case tooManyRedirects = "too-many-redirects"
    /// A redirect leads to where it is not followed: from `https` to `http`, to another scheme, to no URL at all.
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

  /// What kind of failure it is.
  public var code: Code
  /// What happened, to whom, and what to do: for people. Holds no user, password or query.
  public var message: String
  /// libcurl's own number, `CURLcode`; 0 if the failure was not found by it.
  public var curlCode: Int32
  /// The operating system's error number behind it, or 0.
  public var systemError: Int32
  /// Whether it was not the host that was asked for which failed, but perhaps a proxy, or a host that a redirect led to.
  public var isElsewhere = false
  /// The error number where the process had no descriptor, thread or memory for the transfer, and nothing of any request was sent; else nil.
  package var shortage: Int32?
  /// Bytes of the request's body that were sent.
  public var bytesSent: Int64
  /// Bytes of the response's body that were delivered.
  public var bytesDelivered: Int64

  /// A failure.
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

  /// The transfer could not begin, because the process has no descriptor, thread or memory for it.
  init(_ code: Code, _ message: String, shortage: Int32) {
    self.init(code, message, systemError: shortage)
    self.shortage = shortage
  }

  /// Whether nobody accepts connections at the host that was asked for.
  public var isUnreachable: Bool { HTTPRetryTable.kind(of: code) == .unreachable && !isElsewhere }

  /// The message.
  public var description: String { message }
}

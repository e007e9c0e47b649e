import CLibCurl
import Glibc
import OperatingSystem

/// Translates libcurl's error codes for callers.
enum TransferFailure {
  /// The failures that an HTTP transfer can end with. Any other code is an ``HTTPTransferError/Code/internalFailure``.
  static let codes: [(CURLcode, HTTPTransferError.Code)] = [
    (CURLE_UNSUPPORTED_PROTOCOL, .unsupportedScheme),
    (CURLE_URL_MALFORMAT, .invalidURL),
    (CURLE_COULDNT_RESOLVE_PROXY, .proxyNotResolved),
    (CURLE_COULDNT_RESOLVE_HOST, .nameNotResolved),
    (CURLE_COULDNT_CONNECT, .cannotConnect),
    (CURLE_INTERFACE_FAILED, .cannotConnect),
    (CURLE_NO_CONNECTION_AVAILABLE, .cannotConnect),
    (CURLE_PROXY, .proxyFailed),
    (CURLE_OPERATION_TIMEDOUT, .connectTimeout),
    (CURLE_SSL_CONNECT_ERROR, .tlsFailed),
    (CURLE_SSL_SHUTDOWN_FAILED, .tlsFailed),
    (CURLE_USE_SSL_FAILED, .tlsFailed),
    (CURLE_PEER_FAILED_VERIFICATION, .tlsNotVerified),
    (CURLE_SSL_ISSUER_ERROR, .tlsNotVerified),
    (CURLE_SSL_INVALIDCERTSTATUS, .tlsNotVerified),
    (CURLE_SSL_PINNEDPUBKEYNOTMATCH, .tlsNotVerified),
    (CURLE_SSL_CERTPROBLEM, .tlsSettings),
    (CURLE_SSL_CIPHER, .tlsSettings),
    (CURLE_SSL_CLIENTCERT, .tlsSettings),
    (CURLE_SSL_CACERT_BADFILE, .tlsSettings),
    (CURLE_SSL_CRL_BADFILE, .tlsSettings),
    (CURLE_SSL_ENGINE_NOTFOUND, .tlsSettings),
    (CURLE_SSL_ENGINE_SETFAILED, .tlsSettings),
    (CURLE_SSL_ENGINE_INITFAILED, .tlsSettings),
    (CURLE_SEND_ERROR, .connectionLost),
    (CURLE_SEND_FAIL_REWIND, .connectionLost),
    (CURLE_RECV_ERROR, .connectionLost),
    (CURLE_GOT_NOTHING, .connectionLost),
    (CURLE_PARTIAL_FILE, .incompleteBody),
    (CURLE_WEIRD_SERVER_REPLY, .protocolViolation),
    (CURLE_HTTP2, .protocolViolation),
    (CURLE_HTTP2_STREAM, .connectionLost),
    (CURLE_HTTP3, .protocolViolation),
    (CURLE_QUIC_CONNECT_ERROR, .cannotConnect),
    (CURLE_RANGE_ERROR, .protocolViolation),
    (CURLE_BAD_CONTENT_ENCODING, .badEncoding),
    (CURLE_FILESIZE_EXCEEDED, .bodyTooLarge),
    (CURLE_TOO_MANY_REDIRECTS, .tooManyRedirects),
    (CURLE_READ_ERROR, .unreadableBody),
    (CURLE_WRITE_ERROR, .unwritableFile),
  ]

  static func code(of curlCode: CURLcode) -> HTTPTransferError.Code {
    codes.first { $0.0 == curlCode }?.1 ?? .internalFailure
  }

  /// Returns the error for a failed transfer.
  ///
  /// - Parameters:
  ///   - curlCode: The code that libcurl returned.
  ///   - detail: libcurl's description, which may be empty.
  ///   - authority: The host and port of the URL.
  ///   - hasConnected: Whether the connection was established.
  ///   - proxyStatus: The proxy's status in answer to `CONNECT`, or 0.
  ///   - systemError: The operating system's errno, or 0.
  ///   - proxy: The URL of the proxy, or nil. The host may be one that bypasses it.
  /// - Returns: The error, whose message says what to do where that is not obvious.
  static func error(
    _ curlCode: CURLcode, detail: String, authority: String, hasConnected: Bool, proxyStatus: Int, systemError: Int32,
    proxy: String? = nil
  ) -> HTTPTransferError {
    var code = code(of: curlCode)
    if !hasConnected, proxyStatus != 0, !(200...299).contains(proxyStatus) { code = .proxyFailed }
    // The scheme was checked before: libcurl uses this code for a response that is not HTTP.
    if curlCode == CURLE_UNSUPPORTED_PROTOCOL, hasConnected { code = .protocolViolation }
    // libcurl's own limit on the length of heads, which is above ours, has this code too.
    if curlCode == CURLE_RECV_ERROR, detail.hasPrefix("Too large response headers") { code = .headTooLarge }
    if curlCode == CURLE_OPERATION_TIMEDOUT, hasConnected { code = .idleTimeout }
    // An invalid chunk length has the same code as a lost connection.
    if curlCode == CURLE_RECV_ERROR, hasConnected, systemError == 0,
      ["chunk", "hex", "Chunk", "transfer-encoding", "Unsupported"].contains(where: { detail.contains($0) })
    {
      code = .protocolViolation
    }
    // Once connected, this code means an invalid field in a head: no invalid argument was passed.
    if curlCode == CURLE_BAD_FUNCTION_ARGUMENT, hasConnected { code = .protocolViolation }
    let general =
      code == .protocolViolation ? "the response is not HTTP" : String(cString: curl_easy_strerror(curlCode))
    let said = detail.isEmpty ? general : detail
    var message = "\(authority): \(said)"
    if code == .cannotConnect, let proxy = ProxyAddress(proxy),
      detail.contains("connect to \(proxy.host) port \(proxy.port)")
    {
      message = "\(authority): cannot connect to the proxy \(proxy.host):\(proxy.port): \(said)"
      return HTTPTransferError(
        code, "\(message) (check that the proxy is up, and check the settings that name it)",
        curlCode: Int32(curlCode.rawValue), systemError: systemError)
    }
    if let advice = advice(code) { message += " (\(advice))" }
    return HTTPTransferError(code, message, curlCode: Int32(curlCode.rawValue), systemError: systemError)
  }

  /// Returns what to do next, where that is not obvious.
  private static func advice(_ code: HTTPTransferError.Code) -> String? {
    switch code {
    case .tlsNotVerified: "name the file of the authority that signed the server's certificate, or correct the host"
    case .tlsSettings: "check the files of certificates and keys"
    case .nameNotResolved: "check the spelling of the host, and that this computer can resolve names"
    case .cannotConnect: "check that the server is up and the port is right"
    case .proxyFailed, .proxyNotResolved: "check the settings of the proxy"
    default: nil
    }
  }

  /// Returns the error for a process that lacked a descriptor, thread or memory before anything of the request was sent. `number` is the errno, `code` the
  /// failure as it would be reported otherwise.
  static func shortage(_ number: Int32, at code: HTTPTransferError.Code, _ authority: String) -> HTTPTransferError {
    let what =
      switch code {
      case .nameNotResolved, .proxyNotResolved: "cannot look up the name"
      case .tlsFailed, .tlsNotVerified, .tlsSettings: "cannot read the certificates"
      case .cannotConnect: "cannot open a socket"
      default: "cannot start the transfer"
      }
    return HTTPTransferError(
      .internalFailure, "\(authority): \(what): \(SystemError.textWithAdvice(of: number))", shortage: number)
  }

  /// Returns the error for a timeout.
  static func timeout(_ code: HTTPTransferError.Code, _ authority: String, _ limit: Duration) -> HTTPTransferError {
    let what =
      switch code {
      case .connectTimeout: "no connection was established"
      case .firstByteTimeout: "no response arrived"
      case .idleTimeout: "no data was sent or received"
      default: "the transfer did not finish"
      }
    return HTTPTransferError(code, "\(authority): \(what) within \(limit)")
  }

  /// Returns the error for a body over the limit.
  static func bodyTooLarge(_ authority: String, limit: Int64) -> HTTPTransferError {
    HTTPTransferError(
      .bodyTooLarge,
      "\(authority): the body is larger than the limit of \(limit) bytes: raise the limit"
    )
  }

  /// Returns the error for a compressed body of which a small part expands beyond what libcurl can hold back (64 MiB).
  static func expandsTooMuch(_ authority: String) -> HTTPTransferError {
    HTTPTransferError(
      .bodyTooLarge,
      "\(authority): a few bytes of the compressed body expand to more than 64 MiB: request it without compression"
    )
  }
}

/// The address of a proxy, without the user and password that its URL may contain.
private struct ProxyAddress {
  let host: String
  let port: Int

  init?(_ url: String?) {
    guard var rest = url.map({ $0[...] }), !rest.isEmpty else { return nil }
    var scheme = "http"
    if let end = rest.firstRange(of: "://") {
      scheme = rest[..<end.lowerBound].lowercased()
      rest = rest[end.upperBound...]
    }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    // libcurl's default port for a proxy URL without a port.
    var port = scheme == "https" ? 443 : 1080
    if let colon = rest.lastIndex(of: ":"), let number = Int(rest[rest.index(after: colon)...]) {
      port = number
      rest = rest[..<colon]
    }
    host = String(rest.hasPrefix("[") && rest.hasSuffix("]") ? rest.dropFirst().dropLast() : rest)
    self.port = port
  }
}

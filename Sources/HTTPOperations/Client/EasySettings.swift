import CLibCurl

/// The options of an easy handle, apart from the request itself.
struct EasySettings {
  private let transfer: Transfer
  private let userAgent: String
  private let boundsConnect: Bool

  init(_ transfer: Transfer, userAgent: String, boundsConnect: Bool) {
    self.transfer = transfer
    self.userAgent = userAgent
    self.boundsConnect = boundsConnect
  }

  /// Sets the options of a new handle.
  ///
  /// - Returns: The first failure, or `CURLE_OK`.
  func apply(to easy: UnsafeMutableRawPointer) -> CURLcode {
    let options = transfer.request.options
    var result = CURLE_OK
    func set(_ code: CURLcode) { if result == CURLE_OK { result = code } }
    func long(_ option: CURLoption, _ value: Int) { set(penstock_curl_set_long(easy, option, value)) }
    func string(_ option: CURLoption, _ value: String?) { set(penstock_curl_set_string(easy, option, value)) }

    set(penstock_curl_restrict_protocols(easy))
    set(penstock_curl_leave_lookups(easy))
    // No signal handlers and no alarms: the thread runs in a process that is not ours.
    long(CURLOPT_NOSIGNAL, 1)
    // Redirects follow our own rules; see `RedirectRule`.
    long(CURLOPT_FOLLOWLOCATION, 0)
    long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    long(CURLOPT_HTTP09_ALLOWED, 0)
    long(CURLOPT_TCP_KEEPALIVE, 1)
    long(CURLOPT_NOPROGRESS, 1)
    string(CURLOPT_USERAGENT, userAgent)
    // The largest buffer that libcurl allows. Deflate expands data up to 1,032 times, so for compressed bodies it is limited to what libcurl can hold back
    // after expansion (64 MiB).
    long(CURLOPT_BUFFERSIZE, options.decompresses ? 60 * 1024 : 512 * 1024)
    if options.decompresses { string(CURLOPT_ACCEPT_ENCODING, "") }

    switch options.version {
    case .automatic: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    case .http1_1: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_0)
    case .http2PriorKnowledge: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    }
    // Where the connection may support streams, wait for one that is being established instead of opening another.
    let mayMultiplex =
      options.version == .http2PriorKnowledge || (transfer.url.scheme == "https" && options.version != .http1_1)
    long(CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
    // On a reused connection, libcurl itself resends a request if the server has closed the connection meanwhile, whether or not the request was
    // processed. And in 7.88 a second request over HTTP/2 without TLS fails on the connection of the first.
    long(CURLOPT_FRESH_CONNECT, transfer.request.isIdempotent && options.version != .http2PriorKnowledge ? 0 : 1)

    // Zero would be libcurl's own limit of 300 s. If transfers queue for connections, libcurl would count the time in the queue, so only our own clock is
    // used.
    let connect = boundsConnect ? options.timeouts.connect : nil
    long(CURLOPT_CONNECTTIMEOUT_MS, connect.map { max(1, TransferClock.milliseconds($0)) } ?? 86_400_000)

    string(CURLOPT_UNIX_SOCKET_PATH, options.unixSocket)
    // libcurl must not read the environment: the client reads it once.
    string(CURLOPT_PROXY, transfer.proxy ?? "")
    string(CURLOPT_NOPROXY, transfer.bypass)

    let tls = options.tls
    long(CURLOPT_SSL_VERIFYPEER, tls.verifies ? 1 : 0)
    long(CURLOPT_SSL_VERIFYHOST, tls.verifies ? 2 : 0)
    long(CURLOPT_SSLVERSION, tls.minimumVersion == .tls1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2)
    if let authorities = tls.authorities {
      string(CURLOPT_CAINFO, authorities)
      string(CURLOPT_CAPATH, nil)
      if transfer.proxy != nil { string(CURLOPT_PROXY_CAINFO, authorities) }
    }
    if let certificate = tls.certificate {
      string(CURLOPT_SSLCERT, certificate.chain)
      string(CURLOPT_SSLKEY, certificate.key ?? certificate.chain)
      if let password = certificate.password { string(CURLOPT_KEYPASSWD, password) }
    }
    return result
  }
}

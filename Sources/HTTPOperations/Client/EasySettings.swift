import CLibCurl

/// What an easy handle is set up with, beside the request itself.
struct EasySettings {
  private let transfer: Transfer
  private let userAgent: String
  private let boundsConnect: Bool

  init(_ transfer: Transfer, userAgent: String, boundsConnect: Bool) {
    self.transfer = transfer
    self.userAgent = userAgent
    self.boundsConnect = boundsConnect
  }

  /// Sets a new handle up.
  ///
  /// - Returns: The first failure.
  func apply(to easy: UnsafeMutableRawPointer) -> CURLcode {
    let options = transfer.request.options
    var result = CURLE_OK
    func set(_ code: CURLcode) { if result == CURLE_OK { result = code } }
    func long(_ option: CURLoption, _ value: Int) { set(penstock_curl_set_long(easy, option, value)) }
    func string(_ option: CURLoption, _ value: String?) { set(penstock_curl_set_string(easy, option, value)) }

    set(penstock_curl_restrict_protocols(easy))
    set(penstock_curl_leave_lookups(easy))
    // No signal handlers, no alarms: this is a thread of somebody else's process.
    long(CURLOPT_NOSIGNAL, 1)
    // Our own rules decide; see `RedirectRule`.
    long(CURLOPT_FOLLOWLOCATION, 0)
    long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    long(CURLOPT_HTTP09_ALLOWED, 0)
    long(CURLOPT_TCP_KEEPALIVE, 1)
    long(CURLOPT_NOPROGRESS, 1)
    string(CURLOPT_USERAGENT, userAgent)
    // As much as the library takes; but where it may become 1,032 times as much, which is the most that deflate makes of it, no more than libcurl can
    // hold back, which is 64 MiB.
    long(CURLOPT_BUFFERSIZE, options.decompresses ? 60 * 1024 : 512 * 1024)
    if options.decompresses { string(CURLOPT_ACCEPT_ENCODING, "") }

    switch options.version {
    case .automatic: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    case .http1_1: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_0)
    case .http2PriorKnowledge: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    }
    // Rather a stream of the connection that is being made than another connection, where it may come to have streams.
    let mayMultiplex =
      options.version == .http2PriorKnowledge || (transfer.url.scheme == "https" && options.version != .http1_1)
    long(CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
    // On a connection that was used before, libcurl sends a request again by itself where the server has closed meanwhile, whether or
    // not it was done. And in 7.88 a second request over HTTP/2 without TLS fails on the connection of the first.
    long(CURLOPT_FRESH_CONNECT, transfer.request.isIdempotent && options.version != .http2PriorKnowledge ? 0 : 1)

    // Zero would be libcurl's own limit of 300 s. Where transfers queue for connections the time in the queue would
    // count, so that only our own clock can tell.
    let connect = boundsConnect ? options.timeouts.connect : nil
    long(CURLOPT_CONNECTTIMEOUT_MS, connect.map { max(1, TransferClock.milliseconds($0)) } ?? 86_400_000)

    string(CURLOPT_UNIX_SOCKET_PATH, options.unixSocket)
    // Never libcurl's reading of the environment: that is the client's business, and read once.
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

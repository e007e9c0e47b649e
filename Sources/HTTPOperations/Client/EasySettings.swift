import CLibCurl

/// What an easy handle is set up with, and what most transfers of a program share.
struct EasySettings: Equatable {
  private let tls: HTTPTLSSettings
  private let version: HTTPVersionPolicy
  private let unixSocket: String?
  private let decompresses: Bool
  private let proxy: String?
  private let bypass: String
  private let userAgent: String
  private let connect: Duration?
  private let isSecure: Bool
  private let isPlainGet: Bool
  /// Whether a body is sent, or announced to be empty.
  let carriesBody: Bool

  init(_ transfer: Transfer, userAgent: String, boundsConnect: Bool) {
    let request = transfer.request
    tls = request.options.tls
    version = request.options.version
    unixSocket = request.options.unixSocket
    decompresses = request.options.decompresses
    proxy = transfer.proxy
    bypass = transfer.bypass
    self.userAgent = userAgent
    connect = boundsConnect ? request.options.timeouts.connect : nil
    isSecure = transfer.url.scheme == "https"
    carriesBody = transfer.upload != nil || [.post, .put, .patch].contains(request.method)
    isPlainGet = request.method == .get && !carriesBody
  }

  /// Other requests leave the handle in a state that the next one must not meet.
  static func == (left: EasySettings, right: EasySettings) -> Bool {
    left.isPlainGet && right.isPlainGet && left.isSecure == right.isSecure && left.tls == right.tls
      && left.version == right.version && left.unixSocket == right.unixSocket
      && left.decompresses == right.decompresses && left.proxy == right.proxy && left.bypass == right.bypass
      && left.userAgent == right.userAgent && left.connect == right.connect
  }

  /// Sets a handle up that was just made or reset.
  ///
  /// - Returns: The first failure.
  func apply(to easy: UnsafeMutableRawPointer) -> CURLcode {
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
    // Little at a time where it may become a thousand times as much, else as much as the library takes.
    long(CURLOPT_BUFFERSIZE, decompresses ? 128 * 1024 : 512 * 1024)
    if decompresses { string(CURLOPT_ACCEPT_ENCODING, "") }

    switch version {
    case .automatic: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
    case .http1_1: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_0)
    case .http2PriorKnowledge: long(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    }
    // Rather a stream of the connection that is being made than another connection, where it may come to have streams.
    let mayMultiplex = version == .http2PriorKnowledge || (isSecure && version != .http1_1)
    long(CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)

    // Zero would be libcurl's own limit of 300 s. Where transfers queue for connections the time in the queue would
    // count, so that only our own clock can tell.
    long(CURLOPT_CONNECTTIMEOUT_MS, connect.map { max(1, TransferClock.milliseconds($0)) } ?? 86_400_000)

    string(CURLOPT_UNIX_SOCKET_PATH, unixSocket)
    // Never libcurl's reading of the environment: that is the client's business, and read once.
    string(CURLOPT_PROXY, proxy ?? "")
    string(CURLOPT_NOPROXY, bypass)

    long(CURLOPT_SSL_VERIFYPEER, tls.verifies ? 1 : 0)
    long(CURLOPT_SSL_VERIFYHOST, tls.verifies ? 2 : 0)
    long(CURLOPT_SSLVERSION, tls.minimumVersion == .tls1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2)
    if let authorities = tls.authorities {
      string(CURLOPT_CAINFO, authorities)
      string(CURLOPT_CAPATH, nil)
      if proxy != nil { string(CURLOPT_PROXY_CAINFO, authorities) }
    }
    if let certificate = tls.certificate {
      string(CURLOPT_SSLCERT, certificate.chain)
      string(CURLOPT_SSLKEY, certificate.key ?? certificate.chain)
      if let password = certificate.password { string(CURLOPT_KEYPASSWD, password) }
    }
    return result
  }
}

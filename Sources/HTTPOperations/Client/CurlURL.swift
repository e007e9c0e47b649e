import CLibCurl

/// A URL as parsed by libcurl. libcurl also decides where a request goes, so the two readings cannot differ.
struct CurlURL {
  /// `http` or `https`, in lower case.
  let scheme: String
  /// In lower case; an IPv6 address is in brackets.
  let host: String
  /// The given port, or the scheme's default.
  let port: Int
  /// The user and the password as written, or nil.
  let user: String?
  let password: String?
  /// The whole URL without user, password and fragment.
  let plain: String

  /// Parses an absolute URL.
  ///
  /// - Throws: ``HTTPTransferError`` with `invalid-url` or `unsupported-scheme`.
  init(_ text: String) throws(HTTPTransferError) {
    try self.init(text, relativeTo: nil)
  }

  /// Parses a URL, resolved against `base`.
  init(_ text: String, relativeTo base: String?) throws(HTTPTransferError) {
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else {
      throw HTTPTransferError(
        .invalidURL, "the URL contains a space or a control character: percent-encode it, a space as %20")
    }
    guard let handle = curl_url() else {
      let shortage = CurlLibrary.shortage
      var failure = HTTPTransferError(.internalFailure, CurlLibrary.problem, systemError: shortage ?? 0)
      failure.shortage = shortage
      throw failure
    }
    defer { curl_url_cleanup(handle) }
    // The scheme is checked here, to distinguish an invalid URL from an unsupported scheme.
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME)
    if let base { _ = curl_url_set(handle, CURLUPART_URL, base, flags) }
    let code = curl_url_set(handle, CURLUPART_URL, text, flags)
    guard code == CURLUE_OK else {
      throw HTTPTransferError(.invalidURL, "the URL cannot be read: \(String(cString: curl_url_strerror(code)))")
    }
    let scheme = Self.part(CURLUPART_SCHEME, of: handle)?.lowercased() ?? ""
    guard scheme == "http" || scheme == "https" else {
      throw HTTPTransferError(.unsupportedScheme, "the URL's scheme is '\(scheme)': only http and https are supported")
    }
    guard let host = Self.part(CURLUPART_HOST, of: handle)?.lowercased(), !host.isEmpty else {
      throw HTTPTransferError(.invalidURL, "the URL has no host")
    }
    self.scheme = scheme
    self.host = host
    port = Self.part(CURLUPART_PORT, of: handle).flatMap { Int($0) } ?? (scheme == "https" ? 443 : 80)
    user = Self.part(CURLUPART_USER, of: handle)
    password = Self.part(CURLUPART_PASSWORD, of: handle)
    for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] { _ = curl_url_set(handle, part, nil, 0) }
    plain = Self.part(CURLUPART_URL, of: handle) ?? ""
  }

  /// The host and port, for messages.
  var authority: String { "\(host):\(port)" }

  /// Returns whether credentials for one may be sent to the other.
  func isSameOrigin(as other: CurlURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  /// Returns the URL with this user and password, as they were written.
  func with(user: String?, password: String?) -> String {
    guard let user else { return plain }
    let start = plain.index(plain.startIndex, offsetBy: scheme.count + 3)
    return plain[..<start] + user + (password.map { ":\($0)" } ?? "") + "@" + plain[start...]
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
}

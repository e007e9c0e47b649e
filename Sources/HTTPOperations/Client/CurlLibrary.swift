import CLibCurl

/// The library as a whole, which wants to be set up once for a process before anything else.
enum CurlLibrary {
  /// Whether it could be set up.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}

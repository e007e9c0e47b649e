import CCurlLoader
import CLibCurl

/// The library as a whole, which is loaded when it is first used, and wants to be set up once for a process before anything else.
enum CurlLibrary {
  /// Whether it could be set up.
  static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// Why it makes nothing: it cannot be loaded, or there is no memory.
  static var problem: String {
    guard let problem = penstock_curl_problem() else { return "out of memory" }
    return "libcurl cannot be loaded: \(String(cString: problem)); install libcurl 4"
  }
}

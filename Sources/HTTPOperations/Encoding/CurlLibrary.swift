import CCurlLoader
import CLibCurl
import Glibc
import OperatingSystem
import Synchronization

/// The library as a whole, which is loaded when it is first used, and wants to be set up once for a process before anything else.
enum CurlLibrary {
  private static let isSetUp = Mutex(false)

  /// Whether it could be set up. If not, that is tried again the next time: the process may have had no descriptor to open it.
  static var isReady: Bool {
    isSetUp.withLock { isSetUp in
      if !isSetUp { isSetUp = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK }
      return isSetUp
    }
  }

  /// Why it makes nothing: it cannot be loaded, or there is no memory.
  static var problem: String {
    guard let problem = penstock_curl_problem() else { return "out of memory" }
    let text = "libcurl cannot be loaded: \(String(cString: problem))"
    return shortage.map { "\(text): \(SystemError.textWithAdvice(of: $0))" } ?? "\(text); install libcurl 4"
  }

  /// The error number where it makes nothing because the process has no descriptor or memory; else nil.
  static var shortage: Int32? {
    penstock_curl_problem() == nil
      ? ENOMEM : ResourceShortage.number(penstock_curl_error()) ?? ResourceShortage.present()
  }
}

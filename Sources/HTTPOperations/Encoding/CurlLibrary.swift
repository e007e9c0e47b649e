import CCurlLoader
import CLibCurl
import Glibc
import OperatingSystem
import Synchronization

/// libcurl itself, which is loaded at its first use and must be initialized once per process before anything else.
enum CurlLibrary {
  private static let isSetUp = Mutex(false)

  /// Whether libcurl is initialized. A failed attempt is retried the next time: the process may have had no descriptor to open it.
  static var isReady: Bool {
    isSetUp.withLock { isSetUp in
      if !isSetUp { isSetUp = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK }
      return isSetUp
    }
  }

  /// Why libcurl could not create an object: it cannot be loaded, or there is no memory.
  static var problem: String {
    guard let problem = penstock_curl_problem() else { return "out of memory" }
    let text = "cannot load libcurl: \(String(cString: problem))"
    return shortage.map { "\(text): \(SystemError.textWithAdvice(of: $0))" } ?? "\(text); install libcurl 4"
  }

  /// The errno if libcurl could not create an object because the process has no descriptor or memory; otherwise nil.
  static var shortage: Int32? {
    penstock_curl_problem() == nil
      ? ENOMEM : ResourceShortage.number(penstock_curl_error()) ?? ResourceShortage.present()
  }
}

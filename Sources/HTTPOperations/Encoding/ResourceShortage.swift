import Glibc
import OperatingSystem

/// Detects whether the process lacks a descriptor, thread or memory for a transfer.
enum ResourceShortage {
  /// Returns the error number if it means a shortage; otherwise nil.
  static func number(_ error: Int32) -> Int32? {
    LookFailures.isShortage(error) || error == EAGAIN || error == ENOBUFS ? error : nil
  }

  /// Returns the errno if no descriptor can be opened now; otherwise nil. For libcurl, which does not say why it could not open a file.
  static func present() -> Int32? {
    let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return nil
    }
    return number(errno)
  }
}

import Glibc
import OperatingSystem

/// Whether the process has no descriptor, thread or memory for a transfer at present.
enum ResourceShortage {
  /// The error number if it says so; else nil.
  static func number(_ error: Int32) -> Int32? {
    LookFailures.isShortage(error) || error == EAGAIN || error == ENOBUFS ? error : nil
  }

  /// The error number of a descriptor that cannot be had at this moment; nil where one can. For libcurl, which does not say why it could not open what it needs.
  static func present() -> Int32? {
    let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor < 0 else {
      close(descriptor)
      return nil
    }
    return number(errno)
  }
}

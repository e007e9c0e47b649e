import Glibc

/// The descriptors 0, 1 and 2 of this process.
enum StandardDescriptors {
  /// Opens those that were closed when the process started.
  ///
  /// Otherwise the next file that is opened, such as a log, would get the number and be written to as if it were standard output. Must
  /// be called before anything is opened.
  static func complete() {
    while true {
      // The system returns the lowest free number.
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor > STDERR_FILENO else {
        if descriptor < 0 { return }
        continue
      }
      close(descriptor)
      return
    }
  }
}

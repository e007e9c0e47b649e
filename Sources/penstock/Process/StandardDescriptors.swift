import Glibc

/// The descriptors 0, 1 and 2 of this process.
enum StandardDescriptors {
  /// Opens those that whoever started the process has closed.
  ///
  /// Without this the next file that is opened, be it a log, takes the number, and is written to as if it were standard output. To
  /// be called before anything is opened.
  static func complete() {
    while true {
      // The system gives the lowest number that is free.
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

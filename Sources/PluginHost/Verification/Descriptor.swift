import Glibc

/// An open file descriptor that is closed when it goes out of scope.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes ownership of `number`; nil if it is negative.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }

  /// Returns the result of `fstat`, or nil if that fails.
  func status() -> stat? {
    var status = stat()
    return fstat(number, &status) == 0 ? status : nil
  }
}

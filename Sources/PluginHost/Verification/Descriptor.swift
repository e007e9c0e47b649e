import Glibc

/// An open file descriptor, closed when it is let go of.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes over `number`; nil where it is none.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit { close(number) }

  /// What `fstat` says of it.
  func status() -> stat? {
    var status = stat()
    return fstat(number, &status) == 0 ? status : nil
  }
}

import Glibc
import Operations

/// A file descriptor that is closed with the last reference to it.
package final class Descriptor: Sendable {
  /// The descriptor number, for system calls.
  package let number: Int32

  /// Takes ownership of `number`, the result of the system call `name`.
  package init(_ number: Int32, from name: String) throws(ObserverError) {
    guard number >= 0 else { throw .systemCall(name, errno) }
    self.number = number
  }

  deinit { close(number) }
}

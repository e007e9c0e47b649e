import Glibc
import Operations

/// A file descriptor that is closed with the last reference to it.
package final class Descriptor: Sendable {
  /// The number that system calls want.
  package let number: Int32

  /// Takes over `number`, the result of the system call `name`.
  package init(_ number: Int32, from name: String) throws(ObserverError) {
    guard number >= 0 else { throw .systemCall(name, errno) }
    self.number = number
  }

  deinit { close(number) }
}

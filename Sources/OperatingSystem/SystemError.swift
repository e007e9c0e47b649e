import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: StaticString
  package let number: Int32

  package init(_ call: StaticString, _ number: Int32) {
    self.call = call
    self.number = number
  }

  /// `Too many open files (pthread_create)`
  package var description: String { "\(String(cString: strerror(number))) (\(call))" }

  package static func == (left: SystemError, right: SystemError) -> Bool {
    left.number == right.number && "\(left.call)" == "\(right.call)"
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  package let call: StaticString
  package let number: Int32

  package init(_ call: StaticString, _ number: Int32) {
    self.call = call
    self.number = number
  }

  /// For example, `Too many open files (pthread_create)`.
  package var description: String { "\(Self.text(of: number)) (\(call))" }

  /// Returns the system's message for an error number, such as `No such file or directory`; for an unknown one, `Unknown error 4096`.
  package static func text(of number: Int32) -> String {
    // glibc's longest message has 49 bytes; translations are less than twice as long.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "Unknown error \(number)" }
      start.pointee = 0
      // The buffer contains a message even if the call fails.
      _ = strerror_r(number, start, buffer.count)
      return String(cString: start)
    }
  }

  /// Returns the system's message, with advice if the limit on open files was reached.
  package static func textWithAdvice(of number: Int32) -> String {
    text(of: number) + (number == EMFILE || number == ENFILE ? "; raise the limit on open files (`ulimit -n`)" : "")
  }

  package static func == (left: SystemError, right: SystemError) -> Bool {
    left.number == right.number && "\(left.call)" == "\(right.call)"
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

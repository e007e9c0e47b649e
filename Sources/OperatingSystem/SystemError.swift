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
  package var description: String { "\(Self.text(of: number)) (\(call))" }

  /// What the system says of an error number: `No such file or directory`. Of one that it does not know, `Unknown error 4096`.
  package static func text(of number: Int32) -> String {
    // glibc's longest text has 49 bytes; translations of it are not twice as long.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress else { return "Unknown error \(number)" }
      start.pointee = 0
      // The text is there also where it returns an error.
      _ = strerror_r(number, start, buffer.count)
      return String(cString: start)
    }
  }

  /// The same, and what to do where the process or the system has no room left for an open file.
  package static func textWithAdvice(of number: Int32) -> String {
    text(of: number) + (number == EMFILE || number == ENFILE ? "; raise the limit on open files (`ulimit -n`)" : "")
  }

  package static func == (left: SystemError, right: SystemError) -> Bool {
    left.number == right.number && "\(left.call)" == "\(right.call)"
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

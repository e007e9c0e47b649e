import CProcess
import Glibc

/// A descriptor by which any thread wakes one that waits in `poll` or `epoll`.
///
/// It is readable from a signal until it is drained, and any number of signals count as one. It is closed with the last reference to it, so both the
/// threads that signal and the one that waits hold it.
package final class WakeDescriptor: Sendable {
  /// What is waited for. It does not block, and programs that are started do not get it.
  package let number: Int32

  /// Creates a descriptor that is not signalled.
  ///
  /// - Throws: ``SystemError`` where the process or the system has no descriptor left.
  package init() throws(SystemError) {
    number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw SystemError("eventfd", errno) }
  }

  deinit { close(number) }

  /// Makes it readable. Any thread; never waits.
  package func signal() {
    // Fails only where so many signals wait that it is readable anyway.
    _ = eventfd_write(number, 1)
  }

  /// Takes the signals that have come. Any thread; never waits. What they were sent for must be looked at afterwards, or a signal in between is lost.
  package func drain() {
    var count: eventfd_t = 0
    _ = eventfd_read(number, &count)
  }
}

import CProcess
import Glibc

/// A descriptor through which any thread can wake one that waits in `poll` or `epoll`.
///
/// It is readable from the first signal until it is drained; any number of signals count as one. It is closed with its last reference, so the signalling
/// threads and the waiting one all retain it.
package final class WakeDescriptor: Sendable {
  /// The descriptor to wait for. It is non-blocking and close-on-exec.
  package let number: Int32

  /// Creates a descriptor that is not signalled.
  ///
  /// - Throws: ``SystemError`` if the process or the system has no descriptors left.
  package init() throws(SystemError) {
    number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw SystemError("eventfd", errno) }
  }

  deinit { close(number) }

  /// Makes the descriptor readable. Safe to call on any thread; never waits.
  package func signal() {
    // Fails only if so many signals are pending that the descriptor is readable anyway.
    _ = eventfd_write(number, 1)
  }

  /// Consumes the pending signals. Safe to call on any thread; never waits. The caller must check for work afterwards, or it may lose a concurrent signal.
  package func drain() {
    var count: eventfd_t = 0
    _ = eventfd_read(number, &count)
  }
}

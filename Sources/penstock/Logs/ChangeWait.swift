import Glibc
import OperatingSystem

/// Lets a command wait for a notification from subscriptions, for the end of its reader, or for a timeout.
final class ChangeWait: Sendable {
  /// Nil if the process is out of descriptors: then only the end of the reader and the timeout end a wait.
  private let wake = try? WakeDescriptor()

  /// Ends the current wait, or else the next one. Any thread.
  func end() {
    wake?.signal()
  }

  /// Waits for a notification, for the end of the reader of our output, until `descriptor` is readable, or for the timeout.
  ///
  /// - Returns: Whether there was a notification.
  @discardableResult
  func wait(milliseconds: Int32, or descriptor: Int32 = -1) -> Bool {
    var waits = [
      pollfd(fd: wake?.number ?? -1, events: Int16(POLLIN), revents: 0),
      // A pipe without a reader reports an error even if no events are requested.
      pollfd(fd: TextOutput.standard.descriptor, events: 0, revents: 0),
      // A negative descriptor is ignored.
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    poll(&waits, 3, milliseconds)
    if waits[1].revents & Int16(POLLERR | POLLHUP) != 0 {
      TextOutput.standard.giveUp()
      return false
    }
    let isTold = waits[0].revents & Int16(POLLIN) != 0
    // Combines a burst of changes into one wakeup.
    usleep(20_000)
    wake?.drain()
    return isTold
  }
}

import Glibc
import OperatingSystem

/// Lets a command wait for what handlers of subscriptions tell, for the end of its reader, or for a time.
final class ChangeWait: Sendable {
  /// Nil where the process is out of descriptors: then only the end of the reader and the time end a wait.
  private let wake = try? WakeDescriptor()

  /// Ends the wait that goes on, or else the next one. Any thread.
  func end() {
    wake?.signal()
  }

  /// Returns when something was told, when nobody reads our output any more, when `descriptor` can be read, or after the time.
  ///
  /// - Returns: Whether something was told.
  @discardableResult
  func wait(milliseconds: Int32, or descriptor: Int32 = -1) -> Bool {
    var waits = [
      pollfd(fd: wake?.number ?? -1, events: Int16(POLLIN), revents: 0),
      // A pipe whose reader has gone reports an error without being asked.
      pollfd(fd: TextOutput.standard.descriptor, events: 0, revents: 0),
      // A negative descriptor is passed over.
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    poll(&waits, 3, milliseconds)
    if waits[1].revents & Int16(POLLERR | POLLHUP) != 0 {
      TextOutput.standard.giveUp()
      return false
    }
    let isTold = waits[0].revents & Int16(POLLIN) != 0
    // A burst of changes is read in one go.
    usleep(20_000)
    wake?.drain()
    return isTold
  }
}

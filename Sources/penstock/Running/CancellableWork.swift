import Glibc
import OperatingSystem

/// Work that would leave files behind if a signal ended the process.
enum CancellableWork {
  /// Runs `body` on a separate thread, and ends the process with its exit code. The first thread waits for SIGINT, SIGTERM and SIGHUP; after one, it
  /// calls `cleanUp` and ends the process as cancelled.
  ///
  /// Must be called by the first thread before others exist.
  static func run(cleanUp: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () throws -> Void) throws
    -> Never
  {
    SignalSource.block(SignalSource.ending)
    let source = try SignalSource(SignalSource.ending)
    do throws(SystemError) {
      try SystemThread.detach("penstock-work") {
        do {
          try body()
          ExitStatus.succeeded.finish()
        } catch {
          ExitStatus.report(error).finish()
        }
      }
    } catch {
      throw CommandFailure("cannot start a thread: \(error)", status: .engineFailed)
    }
    while true {
      var waits = pollfd(fd: source.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waits, 1, -1) > 0, source.next() != nil else { continue }
      cleanUp()
      TextOutput.error.writeLine("penstock: cancelled")
      ExitStatus.cancelled.finishAtOnce()
    }
  }
}

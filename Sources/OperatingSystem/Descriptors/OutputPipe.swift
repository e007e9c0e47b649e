import CProcess
import Glibc

/// A pipe from a process that is being started to this one.
///
/// The owner closes the write end once the process has it, because the output ends only when no write end is open. Ends that are still open are closed with
/// the value, so that processes left behind have no reader. Must not be used by several threads at a time.
package struct OutputPipe: ~Copyable {
  /// This process's end, which does not block. -1 after it was taken.
  package private(set) var readEnd: Int32
  /// The other process's end, which blocks, as a process expects of its standard output. -1 after it was closed.
  package private(set) var writeEnd: Int32

  /// Creates a pipe whose ends are close-on-exec.
  ///
  /// - Throws: ``SystemError`` if the process or the system has no descriptors left.
  package init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    let error = penstock_pipe(&ends)
    guard error == 0 else { throw SystemError("pipe2", error) }
    (readEnd, writeEnd) = (ends[0], ends[1])
    _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
  }

  deinit {
    if readEnd >= 0 { close(readEnd) }
    if writeEnd >= 0 { close(writeEnd) }
  }

  /// Closes this process's copy of the write end, once.
  package mutating func closeWriteEnd() {
    if writeEnd >= 0 { close(writeEnd) }
    writeEnd = -1
  }

  /// Transfers the read end to the caller, which must close it.
  package mutating func takeReadEnd() -> Int32 {
    defer { readEnd = -1 }
    return readEnd
  }
}

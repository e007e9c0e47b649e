import CProcess
import Glibc

/// A pipe from a process that is started to this one.
///
/// Its owner closes the write end once the process has it, since the end of the output comes only when nobody has one any more. What is still open is closed
/// with the value: the processes that were left behind find nobody there. One thread uses it at a time.
package struct OutputPipe: ~Copyable {
  /// The end of this process. It does not block. -1 when it was taken.
  package private(set) var readEnd: Int32
  /// The end for the process, which blocks, as a process expects of its standard output. -1 when it was closed.
  package private(set) var writeEnd: Int32

  /// Creates a pipe that programs do not get unless it is handed to them.
  ///
  /// - Throws: ``SystemError`` where the process or the system has no descriptors left.
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

  /// Hands the read end over: from now on it is the caller's to close.
  package mutating func takeReadEnd() -> Int32 {
    defer { readEnd = -1 }
    return readEnd
  }
}

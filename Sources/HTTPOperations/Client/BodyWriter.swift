import OperatingSystem

/// Writes the body of a response to its file, on a thread of its own: a disk that hangs holds up one transfer, and not
/// all those of the client.
struct BodyWriter {
  let mailbox: TransferMailbox
  let descriptor: Int32
  /// Lets the transfer continue after it stood still because the window was full.
  let resume: @Sendable () -> Void

  /// Writes until the transfer has ended and everything that came is written, or the transfer is cancelled.
  ///
  /// - Returns: 0, or the error number of the write that failed. Nothing is written to the file after the return.
  func run() async -> Int32 {
    await BlockingThread.run { write() }
  }

  private func write() -> Int32 {
    let signal = WakeSemaphore()
    // Both buffers keep their capacity: one is filled while the other is written.
    var buffer: [UInt8] = []
    while true {
      mailbox.wait(for: .body, with: signal)
      if mailbox.isCancelled { return 0 }
      if mailbox.swap(&buffer) { resume() }
      if buffer.isEmpty { return 0 }
      do throws(SystemError) { try SystemCall.writeAll(buffer, to: descriptor) } catch { return error.number }
    }
  }
}

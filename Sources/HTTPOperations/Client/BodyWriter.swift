import OperatingSystem

/// Writes the body of a response to its file on its own thread, so that a hanging disk delays only this transfer, not all transfers of the client.
struct BodyWriter {
  let mailbox: TransferMailbox
  let descriptor: Int32
  /// Resumes the transfer after it was paused because the window was full.
  let resume: @Sendable () -> Void

  /// Writes until the transfer has ended and all received bytes are written, or until the transfer is cancelled.
  ///
  /// - Returns: 0, or the errno of the write that failed. Nothing is written to the file after this returns.
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

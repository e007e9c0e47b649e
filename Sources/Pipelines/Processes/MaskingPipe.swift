import CProcess
import Glibc

/// Carries the output of a process that received a secret to its log file, with the secret masked.
///
/// Lives on the event loop. A secret that arrives in two writes is still found: what may be its beginning is held back until more arrives or the pipe ends.
final class MaskingPipe {
  /// The end that the process writes to; the host closes it after the start.
  private(set) var writeEnd: Int32
  private let readEnd: Int32
  /// Another one than the pool's, which only reads.
  private var log: Int32
  private let masker: SecretMasker
  private let loop: EventLoop
  private var token: EventLoop.Token?
  private var pending: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)

  init(to log: Int32, masker: SecretMasker, loop: EventLoop) throws(EngineError) {
    var ends: [Int32] = [-1, -1]
    let error = penstock_pipe(&ends)
    guard error == 0 else { throw .systemCall("pipe2", error) }
    (readEnd, writeEnd) = (ends[0], ends[1])
    // Only our end may not block: a process expects its standard output to.
    _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    self.log = open("/proc/self/fd/\(log)", O_WRONLY | O_APPEND | O_CLOEXEC)
    self.masker = masker
    self.loop = loop
    token = try loop.watch(readEnd) { [weak self] in self?.drain() }
  }

  deinit {
    if let token { loop.unwatch(token) }
    close(readEnd)
    closeLog()
    closeWriteEnd()
  }

  private func closeLog() {
    if log >= 0 { close(log) }
    log = -1
  }

  /// Closes the host's copy of the end that the process has by now.
  func closeWriteEnd() {
    if writeEnd >= 0 { close(writeEnd) }
    writeEnd = -1
  }

  /// Takes everything that was written until now and ends the pipe. What processes left behind write later is lost.
  func finish() {
    drain()
    if let token { loop.unwatch(token) }
    token = nil
    write(masker.take(from: &pending, isLast: true))
    closeLog()
  }

  private func drain() {
    while true {
      let count = read(readEnd, &buffer, buffer.count)
      guard count > 0 else {
        // The end of the pipe stays readable; without this the loop would spin.
        if count == 0, let token {
          loop.unwatch(token)
          self.token = nil
        }
        return
      }
      pending.append(contentsOf: buffer[..<count])
      write(masker.take(from: &pending, isLast: false))
    }
  }

  private func write(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(log, $0.baseAddress.map { $0 + written }, bytes.count - written) }
      if count < 0 {
        if errno == EINTR { continue }
        // A full disk loses log text, never a secret's mask; the operation's own result check reports a result that is cut short.
        return
      }
      written += count
    }
  }
}

import Glibc
import OperatingSystem
import Synchronization

/// Writes the lines of a log to a descriptor on its own thread, so that callers never wait for the reader: a pipe that nobody reads, or a terminal stopped by Ctrl-S, may
/// block for any length of time. Any thread.
///
/// The waiting lines are bounded. Further lines are dropped and counted until half of the space is free again; the count is then the next line.
package final class LogWriter: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    /// The number of bytes in `lines` and in the current write.
    var bytes = 0
    var dropped = 0
    /// The number of bytes written or given up, which shows whether the reader reads.
    var written = 0
    var hasThread = false
    var isClosed = false
  }

  /// The maximum number of bytes of one write.
  private static let mostTogether = 1 << 16

  private let descriptor: Int32
  private let limit: Int
  private let notice: @Sendable (Int) -> String
  private let state = Mutex(State())
  private let wake: WakeDescriptor?

  /// - Parameters:
  ///   - descriptor: The descriptor to write to. It stays open.
  ///   - limit: The maximum number of bytes of waiting lines. Default: 8 MiB, some 30,000 lines.
  ///   - notice: Returns the line that reports how many lines were dropped.
  package init(to descriptor: Int32, limit: Int = 8 << 20, notice: @escaping @Sendable (Int) -> String) {
    self.descriptor = descriptor
    self.limit = limit
    self.notice = notice
    wake = try? WakeDescriptor()
  }

  /// Accepts a line without its newline, to be written after the lines before it.
  ///
  /// - Parameters:
  ///   - line: The line to write.
  ///   - isLast: Whether no line is accepted after it: messages from others while the process ends would follow the line that says why it ends.
  package func write(_ line: String, isLast: Bool = false) {
    let bytes = Array((line + "\n").utf8)
    let isAlone = state.withLock { state in
      guard !state.isClosed else { return false }
      accept(bytes, &state)
      state.isClosed = isLast
      guard !state.hasThread else { return false }
      state.hasThread = start()
      return !state.hasThread
    }
    // Out of descriptors or threads before the first line: there is nothing to protect callers from yet.
    if isAlone { while writeSome() {} }
    wake?.signal()
  }

  /// Accepts no more lines.
  package func close() { state.withLock { $0.isClosed = true } }

  /// How long the end of a process waits for this thread when the computer is busy and the reader is not.
  private static let longestWait = Duration.seconds(10)

  /// Returns when all accepted lines are written, or when the reader has read nothing for `patience`. Blocks the thread; for the end of a process.
  package func finish(patience: Duration = .seconds(1)) {
    var former = -1
    let began = ContinuousClock.now
    var silentSince = began
    while true {
      let (isDone, written) = state.withLock { ($0.bytes == 0 && $0.dropped == 0, $0.written) }
      if isDone { return }
      let now = ContinuousClock.now
      if written != former || takesMore { (former, silentSince) = (written, now) }
      guard now - silentSince < patience, now - began < Self.longestWait else { return }
      usleep(1000)
    }
  }

  /// Whether something can be written without waiting, so that the reader is not the cause of the delay.
  private var takesMore: Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wanted, 1, 0) == 1 && wanted.revents & Int16(POLLOUT) != 0
  }

  private func accept(_ line: [UInt8], _ state: inout State) {
    tellDropped(&state)
    // A line longer than the limit is written when nothing waits.
    guard state.dropped == 0, state.bytes == 0 || state.bytes + line.count <= limit else {
      state.dropped += 1
      return
    }
    state.lines.append(line)
    state.bytes += line.count
  }

  /// Adds the count of dropped lines after the waiting lines, once there is space again.
  private func tellDropped(_ state: inout State) {
    guard state.dropped > 0, state.bytes <= limit / 2 else { return }
    let line = Array((notice(state.dropped) + "\n").utf8)
    state.dropped = 0
    state.lines.append(line)
    state.bytes += line.count
  }

  /// Starts the thread. Call it with the lock held: the thread begins by taking the lock.
  private func start() -> Bool {
    guard let wake else { return false }
    do throws(SystemError) {
      try SystemThread.detach("penstock-log", blocking: .allButFaults) { [self] in
        while true {
          while writeSome() {}
          var wanted = pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)
          poll(&wanted, 1, -1)
          wake.drain()
        }
      }
      return true
    } catch {
      return false
    }
  }

  /// Writes the oldest waiting lines; false if there are none.
  private func writeSome() -> Bool {
    let (lines, count) = state.withLock { state in
      tellDropped(&state)
      var (lines, size) = (0, 0)
      while lines < state.lines.count, lines == 0 || size + state.lines[lines].count <= Self.mostTogether {
        size += state.lines[lines].count
        lines += 1
      }
      let taken = Array(state.lines.prefix(lines))
      state.lines.removeFirst(lines)
      return (taken, size)
    }
    guard count > 0 else { return false }
    put(lines)
    return true
  }

  /// Discards the waiting lines, because nobody can read them.
  private func put(_ lines: [[UInt8]]) {
    // A journal gives each line the time at which it arrives.
    for line in lines {
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, min($0.count, Self.mostTogether)) }
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          // Somebody else made the descriptor non-blocking: its reader is waited for as by a blocking one.
          var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&polled, 1, -1)
          continue
        }
        let done = count > 0 ? count : rest.count
        rest = rest.dropFirst(done)
        state.withLock { state in
          state.bytes -= done
          state.written += done
        }
      }
    }
  }
}

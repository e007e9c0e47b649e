import Glibc
import OperatingSystem
import Synchronization

/// Writes the lines of a log to a descriptor on a thread of its own, so that whoever logs never waits for the reader: a pipe that nobody reads, or a terminal that was stopped by Ctrl-S, takes nothing for as
/// long as it likes. Any thread.
///
/// Lines that wait are bounded; more are dropped until half of that is free again, and counted. The count is the next line then.
package final class LogWriter: Sendable {
  private struct State {
    var lines: [[UInt8]] = []
    /// The bytes of `lines`, and of what is being written.
    var bytes = 0
    var dropped = 0
    /// How many bytes have been written or given up: whether the reader reads.
    var written = 0
    var hasThread = false
    var isClosed = false
  }

  /// How much is written together.
  private static let mostTogether = 1 << 16

  private let descriptor: Int32
  private let limit: Int
  private let notice: @Sendable (Int) -> String
  private let state = Mutex(State())
  private let wake: WakeDescriptor?

  /// - Parameters:
  ///   - descriptor: What to write to. It stays open.
  ///   - limit: How many bytes of lines may wait. Default: 8 MiB, some 30,000 lines.
  ///   - notice: The line that tells how many were dropped.
  package init(to descriptor: Int32, limit: Int = 8 << 20, notice: @escaping @Sendable (Int) -> String) {
    self.descriptor = descriptor
    self.limit = limit
    self.notice = notice
    wake = try? WakeDescriptor()
  }

  /// Accepts a line without its end, to be written behind those before it.
  ///
  /// - Parameters:
  ///   - line: What to write.
  ///   - isLast: Whether none is accepted behind it: what others say while the process ends would come behind the line that says why it does.
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
    // Out of descriptors or threads before the first line: there is nothing to be kept from yet.
    if isAlone { while writeSome() {} }
    wake?.signal()
  }

  /// Accepts no more lines.
  package func close() { state.withLock { $0.isClosed = true } }

  /// How long the end of a process waits for the thread of this, where the machine is busy and the reader is not.
  private static let longestWait = Duration.seconds(10)

  /// Returns when all accepted lines are written, or when the reader has taken nothing for `patience`. Blocks the thread: for the end of a process.
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

  /// Whether something could be written without waiting: then it is not the reader who keeps it from being.
  private var takesMore: Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&wanted, 1, 0) == 1 && wanted.revents & Int16(POLLOUT) != 0
  }

  private func accept(_ line: [UInt8], _ state: inout State) {
    tellDropped(&state)
    // One that is longer than all that may wait is written where nothing does.
    guard state.dropped == 0, state.bytes == 0 || state.bytes + line.count <= limit else {
      state.dropped += 1
      return
    }
    state.lines.append(line)
    state.bytes += line.count
  }

  /// Puts the count of what was dropped behind what waits, where there is room again.
  private func tellDropped(_ state: inout State) {
    guard state.dropped > 0, state.bytes <= limit / 2 else { return }
    let line = Array((notice(state.dropped) + "\n").utf8)
    state.dropped = 0
    state.lines.append(line)
    state.bytes += line.count
  }

  /// Under the lock: the thread begins by taking it.
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

  /// Writes the lines that wait for longest; false where none do.
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

  /// What nobody can read is lost.
  private func put(_ lines: [[UInt8]]) {
    // A journal gives each line the time at which it comes.
    for line in lines {
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, min($0.count, Self.mostTogether)) }
        if count < 0, errno == EINTR { continue }
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

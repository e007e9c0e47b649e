import CProcess
import Glibc
import PluginKit
import Synchronization

/// Reads lines from a command or a FIFO on its own thread, until it ends or is stopped.
///
/// A command runs in its own session. Stopping sends SIGTERM to its process group, and SIGKILL after the grace period; when the command itself has
/// ended, the remaining processes of the group are killed too.
final class LinePump: Sendable {
  /// The source of a line.
  enum Stream: Sendable { case output, error }

  /// How a command ended. Not meaningful for a FIFO, which ends only when it is stopped.
  enum Ending: Sendable, Hashable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)
    /// Other code in this process has reaped it, or SIGCHLD is ignored.
    case unknown

    var isSuccess: Bool { self == .code(0) }
    var description: String {
      switch self {
      case .code(let code): "ended with exit code \(code)"
      case .signal(let signal): "was ended by signal \(signal)"
      case .unknown: "ended with an unknown exit status: something in this process ignores SIGCHLD or has reaped it"
      }
    }
  }

  /// Returns false if there is no room for the line: it is delivered again.
  typealias Deliver = @Sendable (Stream, LineSplitter.Line) -> Bool

  /// The pause before a line for which there was no room is delivered again, in milliseconds.
  private static let retryPause: Int32 = 20

  /// How long output is still read after the command itself has ended.
  private static let drain = Duration.seconds(1)

  private let output: FileDescriptor
  private let error: FileDescriptor?
  private let process: (id: pid_t, descriptor: FileDescriptor)?
  private let wake: FileDescriptor
  private let grace: Duration
  private let longest: Int
  private let deliver: Deliver
  private let isStopped = Atomic(false)

  /// Opens a FIFO, which must exist.
  init(fifo path: String, longest: Int, deliver: @escaping Deliver) throws {
    // Also opened for writing, so that it does not end when the last writer closes it.
    let number = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else {
      throw PluginProblem("fifo-unreadable", "the FIFO '\(path)' cannot be opened: \(systemMessage(errno))")
    }
    output = FileDescriptor(number)
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      throw PluginProblem("not-a-fifo", "'\(path)' is not a FIFO; make one with 'mkfifo \(path)'")
    }
    error = nil
    process = nil
    grace = .zero
    wake = try FileDescriptor.wake()
    self.longest = longest
    self.deliver = deliver
  }

  /// Starts a command.
  init(command: [String], directory: String?, grace: Duration, longest: Int, deliver: @escaping Deliver) throws {
    wake = try FileDescriptor.wake()
    let (output, outputEnd) = try FileDescriptor.pipe()
    let (error, errorEnd) = try FileDescriptor.pipe()
    let (id, descriptor) = try startProcess(command, directory: directory, output: outputEnd, error: errorEnd)
    self.output = output
    self.error = error
    process = (id, FileDescriptor(descriptor))
    self.grace = grace
    self.longest = longest
    self.deliver = deliver
  }

  /// Stops reading and terminates the command. May be called at any time, on any thread.
  func stop() {
    isStopped.store(true, ordering: .releasing)
    wake.signal()
  }

  /// Reads until the end. Called once.
  func run() async -> Ending {
    await withCheckedContinuation { continuation in
      startThread(named: "lines") { continuation.resume(returning: self.pump()) }
    }
  }

  // MARK: The thread

  private func pump() -> Ending {
    var outputLines = LineSplitter(longest: longest)
    var errorLines = LineSplitter(longest: longest)
    var polled = [
      pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: error?.number ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: process?.descriptor.number ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    var killAt: ContinuousClock.Instant?
    var endAt: ContinuousClock.Instant?
    while true {
      poll(&polled, nfds_t(polled.count), timeout(until: [killAt, endAt]))
      if polled[0].revents != 0 { wake.drain() }
      if isStopped.load(ordering: .acquiring) {
        guard let process else { break }
        if killAt == nil, endAt == nil {
          kill(-process.id, SIGTERM)
          killAt = .now + grace
        }
      }
      read(&polled[1], &outputLines, .output)
      read(&polled[2], &errorLines, .error)
      if polled[3].revents != 0 {
        polled[3].fd = -1
        endAt = .now + Self.drain
      }
      if let time = killAt, time <= .now, let process {
        kill(-process.id, SIGKILL)
        killAt = nil
        endAt = .now + Self.drain
      }
      let isAllRead = polled[1].fd < 0 && polled[2].fd < 0
      if process != nil, polled[3].fd < 0, isAllRead { break }
      if let time = endAt, time <= .now { break }
    }
    if let line = outputLines.end() { insist(.output, line) }
    if let line = errorLines.end() { insist(.error, line) }
    return reap()
  }

  private func timeout(until times: [ContinuousClock.Instant?]) -> Int32 {
    guard let next = times.compactMap({ $0 }).min() else { return -1 }
    let milliseconds = ((next - .now) / .milliseconds(1)).rounded(.up)
    return Int32(min(max(milliseconds, 0), 3_600_000))
  }

  /// Delivers a line as soon as there is room for it, or drops it once the pump is stopped. Nothing is read in the meantime, so the writer waits.
  private func insist(_ stream: Stream, _ line: LineSplitter.Line) {
    while !deliver(stream, line), !isStopped.load(ordering: .acquiring) {
      var polled = pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, Self.retryPause)
    }
  }

  /// Reads once, so that no stream delays the others.
  private func read(_ polled: inout pollfd, _ lines: inout LineSplitter, _ stream: Stream) {
    guard polled.fd >= 0, polled.revents != 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      let count = Glibc.read(polled.fd, buffer.baseAddress, buffer.count)
      if count > 0 {
        lines.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { insist(stream, $0) }
      } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
        polled.fd = -1
      }
    }
  }

  private func reap() -> Ending {
    guard let process else { return .code(0) }
    // The process has not been reaped, so its id and its group's still belong to it.
    kill(-process.id, SIGKILL)
    var result = penstock_exit()
    var polled = pollfd(fd: process.descriptor.number, events: Int16(POLLIN), revents: 0)
    var reaped: Int32 = 0
    repeat {
      reaped = penstock_reap(process.descriptor.number, &result)
      if reaped == EAGAIN { poll(&polled, 1, -1) }
    } while reaped == EAGAIN || reaped == EINTR
    guard reaped == 0 else { return .unknown }
    return result.signal == 0 ? .code(result.exit_code) : .signal(result.signal)
  }
}

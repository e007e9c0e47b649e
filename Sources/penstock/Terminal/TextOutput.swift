import Glibc
import Synchronization

/// Standard output or standard error: buffered, and permanently silent once its reader or terminal has disappeared.
///
/// Any thread may write. The output of one call stays together.
final class TextOutput: Sendable {
  static let standard = TextOutput(descriptor: STDOUT_FILENO, capacity: 1 << 16)
  /// Not buffered beyond one call, so that messages appear immediately.
  static let error = TextOutput(descriptor: STDERR_FILENO, capacity: 0)

  private struct State {
    var buffer: [UInt8] = []
    var isGone = false
    var failure: Int32?
    var descriptor: Int32
  }

  private let capacity: Int
  private let state: Mutex<State>

  init(descriptor: Int32, capacity: Int) {
    state = Mutex(State(descriptor: descriptor))
    self.capacity = capacity
    isTerminal = isatty(descriptor) == 1
  }

  /// The descriptor that it writes to.
  var descriptor: Int32 { state.withLock(\.descriptor) }

  /// Switches to a copy of the descriptor, which child processes do not inherit. The original descriptor is redirected to standard
  /// error, so that code in this process that prints does not write between the lines of this output.
  func setApart() {
    state.withLock { state in
      let copy = fcntl(state.descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
      guard copy >= 0 else { return }
      dup2(STDERR_FILENO, state.descriptor)
      state.descriptor = copy
    }
  }

  /// Whether the reader has disappeared: a producer of much output may stop.
  var isGone: Bool { state.withLock(\.isGone) }

  /// The error that caused a loss of output, other than the disappearance of the reader.
  var failure: Int32? { state.withLock(\.failure) }

  /// Whether it is a terminal. Stored, because it is needed for each line of data.
  let isTerminal: Bool

  func write(_ text: String) {
    var text = text
    text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  func writeLine(_ text: String) {
    write(text + "\n")
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard !state.isGone else { return }
      state.buffer.append(contentsOf: bytes)
      if state.buffer.count > capacity { drain(&state) }
    }
  }

  func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0) }
  }

  func flush() {
    state.withLock { drain(&$0) }
  }

  /// Stops all output, because the reader has disappeared.
  func giveUp() {
    state.withLock { $0.isGone = true }
  }

  private func drain(_ state: inout State) {
    var start = 0
    while start < state.buffer.count, !state.isGone {
      let count = state.buffer[start...].withUnsafeBytes { Glibc.write(state.descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        start += count
      } else if errno == EAGAIN {
        // Another program has made the shared descriptor non-blocking.
        var wait = pollfd(fd: state.descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno != EINTR {
        // EIO means that a terminal has been taken away; for a file, it is a disk error.
        if errno != EPIPE && errno != EBADF && !(errno == EIO && isTerminal) { state.failure = errno }
        state.isGone = true
      }
    }
    state.buffer.removeAll(keepingCapacity: true)
  }
}

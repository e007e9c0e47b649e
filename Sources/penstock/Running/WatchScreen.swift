import CProcess
import Glibc
import RunHistory
import Workspace

/// Draws lines on a terminal, and redraws them after changes, until a signal ends it.
struct WatchScreen {
  /// Subscribes to changes of the lines' content: calls its argument after each change, for as long as the returned subscriptions are held.
  let follow: (_ onChange: @escaping @Sendable () -> Void) throws -> [Subscription]
  /// Returns whether to redraw without a notification; called every second: a host that dies sends none, and ages increase.
  let isOutdated: () throws -> Bool
  /// Returns the lines for a terminal of the given size.
  let lines: (_ size: TerminalSize) throws -> [String]

  private static let longestWait: Int32 = 1000
  /// Drawing takes at most a fifth of the time, but is never delayed for longer than this.
  private static let longestRest = Duration.milliseconds(250)

  /// Whether standard output can be redrawn.
  static var isPossible: Bool {
    TextOutput.standard.isTerminal && Environment["TERM"].map { $0 != "dumb" } ?? false
  }

  /// Draws until SIGINT, SIGTERM or SIGHUP. Must be called on the first thread, before others exist.
  ///
  /// - Throws: The errors of `follow` and `lines`, or ``FailureReport`` if the process is out of descriptors.
  func show() throws {
    SignalSource.block()
    let signals = try SignalSource()
    defer { close(signals.descriptor) }
    let changes = ChangeWait()
    let subscriptions = try follow { changes.end() }
    defer { subscriptions.forEach { $0.cancel() } }
    var screen = LiveScreen()
    var size = TerminalSize.current()
    var isDue = true
    defer {
      emit(screen.abandon())
      penstock_end_hidden_cursor()
    }
    while !TextOutput.standard.isGone {
      if !ForegroundTerminal.isOurs(TextOutput.standard.descriptor) {
        emit(screen.abandon())
        penstock_end_hidden_cursor()
        isDue = true
      } else if isDue {
        let start = ContinuousClock.now
        let former = size
        size = TerminalSize.current()
        screen.resize(from: former.columns, to: size.columns)
        let lines = try lines(size)
        penstock_begin_hidden_cursor(TextOutput.standard.descriptor)
        emit(screen.frame(lines))
        isDue = false
        usleep(UInt32(min(Self.longestRest, start.duration(to: .now) * 4) / .microseconds(1)))
      }
      let isTold = changes.wait(milliseconds: Self.longestWait, or: signals.descriptor)
      if try isTold || isOutdated() { isDue = true }
      while let signal = signals.next() {
        isDue = true
        switch signal.number {
        case SIGWINCH, SIGCONT: break
        case SIGTSTP:
          emit(screen.erase())
          penstock_end_hidden_cursor()
          // The default action, which a blocked signal does not perform.
          raise(SIGSTOP)
        default: return
        }
      }
    }
  }

  private func emit(_ text: String) {
    guard !text.isEmpty else { return }
    TextOutput.standard.write(text)
    TextOutput.standard.flush()
  }
}

import CProcess
import Glibc
import PipelineService
import RunHistory

/// Shows what goes on in a workspace on a terminal, until a signal ends it.
struct TopScreen {
  let history: History
  /// The labels that runs must have.
  let labels: [RunLabel]
  let style: Style

  /// Durations are shown by the second.
  private static let longestWait: Int32 = 1000

  /// Draws until SIGINT, SIGTERM or SIGHUP. For the first thread, before there are others.
  ///
  /// - Throws: `WorkspaceError`, or ``FailureReport`` when the process is out of descriptors.
  func show() throws {
    SignalSource.block()
    let signals = try SignalSource()
    defer { close(signals.descriptor) }
    let changes = ChangeWait()
    let subscriptions = try history.followActivity { changes.end() }
    defer { subscriptions.forEach { $0.cancel() } }
    var screen = LiveScreen()
    var size = TerminalSize.current()
    defer {
      emit(screen.abandon())
      penstock_end_hidden_cursor()
    }
    while !TextOutput.standard.isGone {
      if ForegroundTerminal.isOurs(TextOutput.standard.descriptor) {
        let former = size
        size = TerminalSize.current()
        screen.resize(from: former.columns, to: size.columns)
        let lines = try lines(size)
        penstock_begin_hidden_cursor(TextOutput.standard.descriptor)
        emit(screen.frame(lines))
      } else {
        emit(screen.abandon())
        penstock_end_hidden_cursor()
      }
      changes.wait(milliseconds: Self.longestWait, or: signals.descriptor)
      while let signal = signals.next() {
        switch signal.number {
        case SIGWINCH, SIGCONT: break
        case SIGTSTP:
          emit(screen.erase())
          penstock_end_hidden_cursor()
          // The default action, which a blocked signal does not have.
          raise(SIGSTOP)
        default: return
        }
      }
    }
  }

  private func lines(_ size: TerminalSize) throws -> [String] {
    let layout = TopLayout(
      activity: try Activity(in: history, labels: labels), workspace: history.workspace.directory, now: .now,
      short: RunReference(history: history).short, style: style, width: size.columns - 1, height: max(3, size.rows - 1))
    return layout.lines()
  }

  private func emit(_ text: String) {
    guard !text.isEmpty else { return }
    TextOutput.standard.write(text)
    TextOutput.standard.flush()
  }
}

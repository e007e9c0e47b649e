import CProcess
import Glibc
import OperatingSystem
import PipelineService
import PluginHost

/// The exit codes of every command.
enum ExitStatus: Int32 {
  case succeeded = 0
  /// The run, or the check of an installation, failed.
  case failed = 1
  /// The arguments or a file are wrong.
  case usage = 2
  /// The engine or the workspace could not continue.
  case engineFailed = 3
  /// As in shells: 128 + SIGINT.
  case cancelled = 130

  /// Reports an error to the user, and returns its exit code.
  static func report(_ error: any Error) -> ExitStatus {
    if let status = reportIfKnown(error) { return status }
    TextOutput.standard.flush()
    TextOutput.error.writeLine(TerminalLines.visible("Error: \(error)"))
    return .usage
  }

  /// Like ``report(_:)``, for errors of commands and the modules below them; returns nil without a report for others, such as those of the argument parser.
  static func reportIfKnown(_ error: any Error) -> ExitStatus? {
    switch error {
    case let status as ExitStatus: return status
    case let failure as CommandFailure:
      TextOutput.standard.flush()
      if !failure.message.isEmpty {
        TextOutput.error.writeMessage("penstock: \(TerminalLines.visible(failure.message))")
      }
      return failure.status
    default:
      guard let report = FailureReport(error) else { return nil }
      TextOutput.standard.flush()
      TextOutput.error.writeMessage("penstock: \(TerminalLines.visible(report.description))")
      return report.kind == .refused ? .usage : .engineFailed
    }
  }

  /// Flushes buffered output and ends the process. If output to a file was lost, the command fails.
  func finish() -> Never {
    TextOutput.standard.flush()
    TextOutput.error.flush()
    guard let failure = TextOutput.standard.failure else { end(rawValue) }
    TextOutput.error.writeMessage("penstock: cannot write to standard output: \(SystemError.text(of: failure))")
    end(self == .succeeded ? Self.engineFailed.rawValue : rawValue)
  }

  private func end(_ status: Int32) -> Never {
    penstock_restore_terminal()
    ProcessGuard.release(status: status)
    guard HostedPlugins.arePrepared else { exit(status) }
    // Exit handlers registered by plugins may hang, crash, or exit with another status; plugins should have cleaned up in `close`.
    fflush(nil)
    _exit(status)
  }
}

extension ExitStatus: Error {}

/// An error of a command: what happened, where, and what to do next, for the user.
struct CommandFailure: Error {
  var status: ExitStatus
  var message: String

  init(_ message: String, status: ExitStatus = .usage) {
    self.status = status
    self.message = message
  }
}

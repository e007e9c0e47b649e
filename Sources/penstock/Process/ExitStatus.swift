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
  /// The engine or the workspace could not go on.
  case engineFailed = 3
  /// As shells count it: 128 + SIGINT.
  case cancelled = 130

  /// Tells a person about an error, and gives the exit code that stands for it.
  static func report(_ error: any Error) -> ExitStatus {
    if let status = reportIfKnown(error) { return status }
    TextOutput.standard.flush()
    TextOutput.error.writeLine(TerminalLines.visible("Error: \(error)"))
    return .usage
  }

  /// The same of what commands and the modules below them throw; nil, and nothing is said, for other errors, such as those of the argument parser.
  static func reportIfKnown(_ error: any Error) -> ExitStatus? {
    switch error {
    case let status as ExitStatus: return status
    case let failure as CommandFailure:
      TextOutput.standard.flush()
      if !failure.message.isEmpty { TextOutput.error.writeLine("penstock: \(TerminalLines.visible(failure.message))") }
      return failure.status
    default:
      guard let report = FailureReport(error) else { return nil }
      TextOutput.standard.flush()
      TextOutput.error.writeLine("penstock: \(TerminalLines.visible(report.description))")
      return report.kind == .refused ? .usage : .engineFailed
    }
  }

  /// Writes what is buffered, and ends the process. Output that was lost on the way to a file is a failure of the command.
  func finish() -> Never {
    TextOutput.standard.flush()
    TextOutput.error.flush()
    guard let failure = TextOutput.standard.failure else { end(rawValue) }
    TextOutput.error.writeLine("penstock: cannot write to standard output: \(SystemError.text(of: failure))")
    end(self == .succeeded ? Self.engineFailed.rawValue : rawValue)
  }

  private func end(_ status: Int32) -> Never {
    penstock_restore_terminal()
    ProcessGuard.release(status: status)
    guard HostedPlugins.arePrepared else { exit(status) }
    // What plugins have registered for the end may hang, crash, or end the process with a status of its own; `close` was their time.
    fflush(nil)
    _exit(status)
  }
}

extension ExitStatus: Error {}

/// Why a command cannot do what it was asked: what happened, where, and what to do next, for a person.
struct CommandFailure: Error {
  var status: ExitStatus
  var message: String

  init(_ message: String, status: ExitStatus = .usage) {
    self.status = status
    self.message = message
  }
}

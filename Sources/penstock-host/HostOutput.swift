import Glibc
import PipelineLanguage
import PipelineService
import PluginHost
import Server
import Synchronization

/// Writes the host's output to standard error: text on a terminal, else one JSON object per line.
enum HostOutput {
  /// Returns the log of this process.
  static func log() -> HostLog {
    HostLog(form) { writeLine($0) }
  }

  /// Returns a log for the last line of this process.
  static func lastLine() -> HostLog {
    HostLog(form) { isServing.load(ordering: .relaxed) ? writer.write($0, isLast: true) : writeLine($0) }
  }

  private static let form: HostLog.Form = isatty(STDERR_FILENO) == 1 ? .text : .json(forJournal: isJournal)

  /// Writes the output of a serving host, without waiting for the reader.
  private static let writer = LogWriter(to: STDERR_FILENO) { HostLog(form) { _ in }.line(ofDropped: $0) }

  /// Whether the journal reads standard error: its variable identifies exactly this stream.
  private static var isJournal: Bool {
    var status = stat()
    guard let text = HostProcess.variable("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
    return text == "\(status.st_dev):\(status.st_ino)"
  }

  /// Reports why the process ends: in the log, if there is one and it is not read by a person at a terminal.
  static func tell(_ message: String) {
    if isServing.load(ordering: .relaxed), isatty(STDERR_FILENO) != 1 {
      lastLine().tell(.error, "failed", message)
    } else {
      writeLine("penstock: \(message)")
    }
  }

  /// Whether the output is a log.
  static let isServing = Atomic(false)

  /// Writes a line in one piece. If it cannot be written, it is lost.
  static func writeLine(_ text: String) {
    if isServing.load(ordering: .relaxed) { return writer.write(text) }
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return
      }
    }
  }

  /// Stops the log, and waits until its lines are written, as long as its reader makes progress.
  ///
  /// - Parameter patience: The maximum time without progress.
  static func finish(patience: Duration = .seconds(1)) {
    guard isServing.load(ordering: .relaxed) else { return }
    writer.close()
    writer.finish(patience: patience)
  }

  /// Ends the process.
  static func end(_ status: Int32, patience: Duration = .seconds(1)) -> Never {
    finish(patience: patience)
    ProcessGuard.release(status: status)
    fflush(nil)
    _exit(status)
  }

  /// Logs why a host cannot continue, and ends the process with the corresponding exit code. At a terminal, the error is reported as by any command.
  static func report(_ error: any Error, _ log: HostLog) -> Never {
    guard isatty(STDERR_FILENO) != 1 else { report(error) }
    if error is CancellationError { end(0) }
    let report = FailureReport(error)
    let failure = error as? HostFailure
    let message = failure?.message ?? (error as? ServerError)?.description ?? report?.description
    if let failure, failure.isFindings {
      log.tell(.error, "configuration", failure.message)
      lastLine().tell(.error, "failed", "the configuration is invalid, and nothing is served")
    } else {
      lastLine().tell(.error, "failed", message ?? "\(error)")
    }
    end(failure?.status ?? (report?.kind == .refused ? 2 : 3))
  }

  /// Reports an error to the user, and ends the process with the corresponding exit code.
  static func report(
    _ error: any Error, parsing: ((any Error) -> String)? = nil, isSuccess: Bool = false
  ) -> Never {
    if let error = error as? HostFailure {
      writeLine(error.isFindings ? error.message : "penstock: \(TerminalText.visible(error.message))")
      end(error.status)
    }
    if let error = error as? ServerError {
      writeLine("penstock: \(TerminalText.visible(error.description))")
      end(3)
    }
    if error is CancellationError { end(0) }
    if let report = FailureReport(error) {
      writeLine("penstock: \(TerminalText.visible(report.description))")
      end(report.kind == .refused ? 2 : 3)
    }
    if let parsing {
      if isSuccess {
        print(parsing(error))
        end(0)
      }
      writeLine(parsing(error))
      end(2)
    }
    writeLine("penstock: \(error)")
    end(3)
  }
}

/// An error of the host: it cannot do what was requested.
struct HostFailure: Error {
  var message: String
  var status: Int32 = 2
  /// Whether the message consists of findings in a file.
  var isFindings = false
}

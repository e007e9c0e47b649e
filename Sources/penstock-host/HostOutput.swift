import Glibc
import PipelineLanguage
import PipelineService
import PluginHost
import Server
import Synchronization

/// What the host writes to standard error: text on a terminal, else one JSON object a line.
enum HostOutput {
  /// The log of this process.
  static func log() -> HostLog {
    HostLog(form) { writeLine($0) }
  }

  /// The log whose next line is the last one of this process.
  static func lastLine() -> HostLog {
    HostLog(form) { isServing.load(ordering: .relaxed) ? writer.write($0, isLast: true) : writeLine($0) }
  }

  private static let form: HostLog.Form = isatty(STDERR_FILENO) == 1 ? .text : .json(forJournal: isJournal)

  /// Writes what a host that serves has to say, which waits for no reader.
  private static let writer = LogWriter(to: STDERR_FILENO) { HostLog(form) { _ in }.line(ofDropped: $0) }

  /// Whether the journal reads standard error: its variable names the very stream.
  private static var isJournal: Bool {
    var status = stat()
    guard let text = HostProcess.variable("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
    return text == "\(status.st_dev):\(status.st_ino)"
  }

  /// Says why the process ends: in the log, where there is one and no person at a terminal reads it.
  static func tell(_ message: String) {
    if isServing.load(ordering: .relaxed), isatty(STDERR_FILENO) != 1 {
      lastLine().tell(.error, "failed", message)
    } else {
      writeLine("penstock: \(message)")
    }
  }

  /// Whether what is written is a log.
  static let isServing = Atomic(false)

  /// Writes a line in one piece. What nobody can read is lost.
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

  /// Says nothing more, and waits until what was said is written, for as long as the reader of the log reads it.
  ///
  /// - Parameter patience: How long it may read nothing.
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

  /// Logs why a host cannot go on, and ends the process with the exit code that stands for it. A person at a terminal is told as by any command.
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

  /// Tells a person about an error, and ends the process with the exit code that stands for it.
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

/// Why the host cannot do what it was asked.
struct HostFailure: Error {
  var message: String
  var status: Int32 = 2
  /// Whether the message is what the loader of a file has found.
  var isFindings = false
}

import OperatingSystem
import PipelineLanguage

/// How a job ended, and where its output is.
struct JobEnd {
  enum Cause: Sendable, Hashable {
    case exited(Int32)
    /// By this signal.
    case signal(Int32)
    /// It has ended, and nobody can say how.
    case unknown
    /// The computer that it ran on failed.
    case nodeFailed(String)
    /// It had to make room for others.
    case preempted(String)
    /// It needed more memory than it was given.
    case outOfMemory(String)
    /// Its executor has lost sight of it.
    case lost(String)
    /// It was accepted and has certainly never begun, for a reason that may pass.
    case notBegun(String)
    /// It was accepted, and could not become its program.
    case refused(OperationFailure)
  }

  var cause: Cause
  /// The files of the attempt; nil where it left neither output nor result.
  var files: LogFiles?
  /// Why a part of its output is not in its logs.
  var cut: EngineError?
  /// Whether processes of the job live on, which may still write to its files.
  var leftProcesses = false
  /// What it used of the processors; nil where nobody can say.
  var used: ProcessorTime?
}

extension OperationFailure {
  /// The process has ended, and nobody can say how. It may have done its work, so that only `on` can ask for another attempt.
  static let exitUnknown: OperationFailure = {
    var failure = OperationFailure(code: "exit-unknown", ownWords: "ended, but \(ProcessExit.unknownReason)")
    failure.stopReason = "the process may have succeeded"
    return failure
  }()

  /// What an attempt fails with whose job ended so; nil where it exited with code 0.
  init?(_ cause: JobEnd.Cause) {
    switch cause {
    case .exited(0): return nil
    case .exited(let code): self.init(code: "exit", ownWords: "exited with code \(code)", exitCode: code)
    case .signal(let signal):
      // SIGKILL is number 9 on every system.
      let hint = signal == 9 ? "; if nobody killed it, the machine may have run out of memory" : ""
      self.init(code: "signal", ownWords: "was ended by \(SignalName.name(of: signal))\(hint)", signal: signal)
    case .unknown: self = .exitUnknown
    case .nodeFailed(let reason): self.init(.nodeFailed, "the computer that it ran on failed", reason)
    case .preempted(let reason): self.init(.preempted, "was ended to make room for others", reason)
    case .outOfMemory(let reason):
      self.init(.outOfMemory, "needed more memory than it was given", reason)
    case .lost(let reason):
      self.init(.lost, "nobody can say how it ended", reason)
      // So that only `on` can ask for another attempt.
      stopReason = "the job may have succeeded"
    case .refused(let failure): self = failure
    case .notBegun(let reason): self.init(code: "not-begun", message: "was never begun: \(reason)")
    }
  }

  private init(_ end: ClusterEnd, _ what: String, _ reason: String) {
    self.init(code: end.rawValue, message: reason.isEmpty ? what : "\(what): \(reason)")
  }
}

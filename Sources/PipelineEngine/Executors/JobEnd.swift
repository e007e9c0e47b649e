import OperatingSystem
import PipelineLanguage

/// How a job ended, and where its output is.
struct JobEnd {
  enum Cause: Sendable, Hashable {
    case exited(Int32)
    /// Ended by this signal.
    case signal(Int32)
    /// It has ended, but how is unknown.
    case unknown
    /// The computer that it ran on failed.
    case nodeFailed(String)
    /// It had to make room for others.
    case preempted(String)
    /// It needed more memory than it was given.
    case outOfMemory(String)
    /// It exceeded its `timeout`.
    case timedOut
    /// It exceeded the time limit of its executor; `isFinal` if another attempt would, too.
    case timeLimit(String, isFinal: Bool)
    /// Somebody else cancelled it at its executor.
    case cancelledOutside(String)
    /// Its executor has lost track of it.
    case lost(String)
    /// It was accepted but certainly never began, for a reason that may pass.
    case notBegun(String)
    /// It was accepted but could not execute its program.
    case refused(OperationFailure)
  }

  var cause: Cause
  /// The files of the attempt; nil if it left neither output nor result.
  var files: LogFiles?
  /// Why a part of its output is not in its logs.
  var cut: EngineError?
  /// Whether processes of the job are still running, which may still write to its files.
  var leftProcesses = false
  /// The processor time it used; nil if unknown.
  var used: ProcessorTime?
}

extension OperationFailure {
  /// The process has ended, but how is unknown. It may have done its work, so it is retried only if `on` says so.
  static let exitUnknown: OperationFailure = {
    var failure = OperationFailure(code: "exit-unknown", ownWords: "ended, but \(ProcessExit.unknownReason)")
    failure.stopReason = "the process may have succeeded"
    return failure
  }()

  /// Creates the failure of an attempt whose job ended so; nil if it exited with code 0.
  init?(_ cause: JobEnd.Cause) {
    switch cause {
    case .exited(0): return nil
    case .exited(let code): self.init(code: "exit", ownWords: "exited with code \(code)", exitCode: code)
    case .signal(let signal):
      // SIGKILL is number 9 on every system.
      let hint = signal == 9 ? "; if nobody killed it, the computer may have run out of memory" : ""
      self.init(code: "signal", ownWords: "was ended by \(SignalName.name(of: signal))\(hint)", signal: signal)
    case .unknown: self = .exitUnknown
    case .nodeFailed(let reason): self.init(.nodeFailed, "the computer it ran on failed", reason)
    case .preempted(let reason): self.init(.preempted, "was preempted to make room for other jobs", reason)
    case .outOfMemory(let reason):
      self.init(.outOfMemory, "exceeded its memory limit", reason)
    case .timedOut: self.init(code: "timeout", ownWords: "did not end within its timeout")
    case .timeLimit(let reason, let isFinal):
      self.init(.timeLimit, "exceeded the time limit of its job", reason)
      self.isFinal = isFinal
      if isFinal { stopReason = "its deadline has passed" }
    case .cancelledOutside(let reason):
      self.init(.cancelledOutside, "was cancelled on the cluster", reason)
      // So that it is retried only if `on` says so.
      stopReason = "somebody cancelled it"
    case .lost(let reason):
      self.init(.lost, "ended in an unknown way", reason)
      // So that it is retried only if `on` says so.
      stopReason = "the job may have succeeded"
    case .refused(let failure): self = failure
    case .notBegun(let reason): self.init(code: "not-begun", message: "was never started: \(reason)")
    }
  }

  /// Returns the failure of a job that its executor never accepts.
  static func submitRefused(_ reason: String) -> OperationFailure {
    var failure = OperationFailure(.submitRefused, "was refused by its executor", reason)
    failure.isFinal = true
    failure.stopReason = "it would be refused again"
    return failure
  }

  private init(_ end: ClusterEnd, _ what: String, _ reason: String) {
    self.init(code: end.rawValue, message: reason.isEmpty ? what : "\(what): \(reason)")
  }
}

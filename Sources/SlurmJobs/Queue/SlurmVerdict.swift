/// What becomes of an attempt whose job has ended, according to its end record and to Slurm. The end record decides; Slurm explains.
package enum SlurmVerdict: Sendable, Hashable {
  /// As the end record says.
  case recorded
  case outOfMemory(String)
  case timeLimit(String)
  /// The time limit can never be kept, so another attempt would not help.
  case deadline(String)
  case cancelledOutside(String)
  case preempted(String)
  case nodeFailed(String)
  case lost(String)
  /// Its job was ended by this signal.
  case signal(Int32)
  /// It has certainly not begun.
  case notBegun(String)

  /// What Slurm writes to the log of a job when it kills one that has too much memory without control groups.
  private static let memoryWords = "exceeded memory limit"

  /// - Parameters:
  ///   - end: The final state.
  ///   - entry: The entry of the job.
  ///   - log: The end of the log that Slurm wrote for the job.
  package init(withoutRecord end: SlurmEnd, _ entry: QueueEntry, log: String) {
    let last = log.split(separator: "\n").suffix(3).joined(separator: "; ")
    let words = "Slurm job \(entry.job) ended as \(end.rawValue)\(last.isEmpty ? "" : ": \(last)")"
    switch end {
    case .completed: self = .lost("\(words), without an end record")
    case .failed where log.contains(Self.memoryWords): self = .outOfMemory(words)
    case .failed: self = Self.signal(in: entry.reason).map(Self.signal) ?? .lost(words)
    case .outOfMemory: self = .outOfMemory(words)
    case .timeLimit: self = .timeLimit(words)
    case .deadline: self = .deadline(words)
    case .cancelled: self = .cancelledOutside(words)
    case .preempted: self = .preempted(words)
    case .nodeFailed: self = .nodeFailed(entry.nodes.isEmpty ? words : "node \(entry.nodes): \(words)")
    case .bootFailed, .launchFailed, .reconfigurationFailed: self = .notBegun(words)
    }
  }

  /// What Slurm says about the job; nil if the end record decides, or a signal ended it.
  package var words: String? {
    switch self {
    case .recorded, .signal: nil
    case .outOfMemory(let words), .timeLimit(let words), .deadline(let words), .cancelledOutside(let words),
      .preempted(let words), .nodeFailed(let words), .lost(let words), .notBegun(let words):
      words
    }
  }

  /// Returns the signal in the reason of a job that failed: `RaisedSignal:9(Killed)`. A batch script that was killed is a `JobLaunchFailure`, too.
  private static func signal(in reason: String) -> Int32? {
    reason == "JobLaunchFailure" ? 9 : reason.firstMatch(of: /^RaisedSignal:(\d+)/).flatMap { Int32($0.1) }
  }

  /// Decides about an attempt with an end record.
  ///
  /// - Parameters:
  ///   - end: The final state; nil if Slurm does not know the job.
  ///   - job: The number of the job.
  ///   - succeeded: Whether its program exited with code 0.
  package init(withRecord end: SlurmEnd?, job: Int64, succeeded: Bool) {
    guard !succeeded, let end else {
      self = .recorded
      return
    }
    let words = "Slurm job \(job) ended as \(end.rawValue)"
    switch end {
    case .outOfMemory: self = .outOfMemory(words)
    case .timeLimit: self = .timeLimit(words)
    case .deadline: self = .deadline(words)
    case .cancelled: self = .cancelledOutside(words)
    case .preempted: self = .preempted(words)
    case .nodeFailed: self = .nodeFailed(words)
    case .completed, .failed, .bootFailed, .launchFailed, .reconfigurationFailed: self = .recorded
    }
  }
}

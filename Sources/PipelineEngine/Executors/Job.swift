import PipelineLanguage
import RunHistory
import Values

/// One attempt of an operation as an executor sees it: a command with its environment. *On the event loop.*
final class Job {
  let id: JobID
  /// The name of the operation instance.
  let operation: String
  /// The program and its arguments. There is at least the program, whose name is not empty.
  let arguments: [String]
  let environment: AttemptEnvironment
  /// The working directory; nil for the host's own.
  let directory: String?
  let input: Input
  /// Masks its output; nil if it receives no secret.
  let masker: SecretMasker?
  /// The time between the request to end and the kill.
  let grace: Duration
  /// The files for its output and its result.
  let files: LogFilePool
  /// The artifacts to keep of the files that it leaves behind.
  let artifacts: [ArtifactKeeper.Wanted]
  /// What it needs of its executor; nil if nothing is said about it.
  let use: ExecutorUse?
  /// Its time limit, for executors that keep it themselves.
  let timeout: Duration?
  /// Called with its log files before the first output is written to them, by executors elsewhere.
  var whenLogged: (LogFiles) -> Void = { _ in }
  /// Called when it waits for its executor, and with nil when it does not any more, by executors elsewhere.
  var whenWaiting: (OperationReason.ExecutorWait?) -> Void = { _ in }
  /// What its executor has prepared for it.
  var prepared: AnyObject?

  /// The standard input of a job.
  enum Input {
    /// No input.
    case none
    /// A value: strings unchanged, null as an empty string, everything else as JSON.
    case value(JSONValue)
    /// A whole result that is kept in its file.
    case file(ResultFile)

    /// Whether it is a value that takes too long to write on the event loop.
    var isLarge: Bool { if case .value(let value) = self { value.isLarge } else { false } }
  }

  init(
    id: JobID, operation: String, arguments: [String], environment: AttemptEnvironment, directory: String?,
    input: Input, masker: SecretMasker?, grace: Duration, files: LogFilePool, artifacts: [ArtifactKeeper.Wanted] = [],
    use: ExecutorUse? = nil, timeout: Duration? = nil
  ) {
    self.id = id
    self.operation = operation
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.input = input
    self.masker = masker
    self.grace = grace
    self.files = files
    self.artifacts = artifacts
    self.use = use
    self.timeout = timeout
  }
}

extension Job {
  /// The job's environment by name, except for the place of its result.
  var variables: [String: String] {
    var values = environment.values
    values["PENSTOCK_OPERATION"] = operation
    values["PENSTOCK_ATTEMPT"] = String(id.attempt)
    return values
  }
}

/// Identifies the attempt of a job: how an executor knows it before it has its own name.
struct JobID: Sendable, Hashable {
  let run: RunID
  let ordinal: Int
  let attempt: Int
}

/// Identifies a job for the code that recovers it, in this host or a later one.
struct JobHandle: Sendable, Hashable {
  /// An executor's name for a job.
  enum Name: Sendable, Hashable {
    /// A process of this computer, meaningful only to the local executor.
    case process(Int32)
    case text(String)
    /// It has no name yet: its start is open, and the job is recovered by its ``JobID``.
    case open
  }

  let job: JobID
  let name: Name
}

/// A job that a former host of a run has started, or may have, and whose end it did not record.
struct FormerJob {
  let handle: JobHandle
  /// When its attempt began.
  let startedAt: RecordTime

  /// Returns the jobs left at executors, by operation.
  static func left(by attempts: [AttemptRecord], at executors: [String]) -> [Int: FormerJob] {
    var latest: [Int: AttemptRecord] = [:]
    for attempt in attempts where attempt.number >= latest[attempt.ordinal]?.number ?? 0 {
      latest[attempt.ordinal] = attempt
    }
    return latest.compactMapValues { attempt in
      guard attempt.executor.map(executors.contains) == true, attempt.error?.isEndOfHost == true else { return nil }
      let id = JobID(run: attempt.run, ordinal: attempt.ordinal, attempt: attempt.number)
      let handle = JobHandle(job: id, name: attempt.handle.map { .text($0) } ?? .open)
      return FormerJob(handle: handle, startedAt: attempt.startedAt)
    }
  }
}

import RunHistory
import Values

/// What one attempt of an operation is to an executor: a command with its surroundings. *On the loop.*
final class Job {
  let id: JobID
  /// The name of the operation instance.
  let operation: String
  /// The program and its arguments. There is at least the program, whose name is not empty.
  let arguments: [String]
  let environment: AttemptEnvironment
  /// Where it starts; nil for the host's own directory.
  let directory: String?
  let input: Input
  /// What masks its output; nil where it receives no secret.
  let masker: SecretMasker?
  /// How long after it was asked to end it is made to.
  let grace: Duration
  /// Where its output and its result go.
  let files: LogFilePool
  /// What is kept of the files that it leaves behind.
  let artifacts: [ArtifactKeeper.Wanted]
  /// What its executor has made ready for it.
  var prepared: AnyObject?

  /// What a job reads on standard input.
  enum Input {
    /// Nothing.
    case none
    /// A value: text as it is, nothing for null, the rest as JSON.
    case value(JSONValue)
    /// All of a result that stays in its file.
    case file(ResultFile)

    /// Whether it is a value that takes longer to be written than the loop has.
    var isLarge: Bool { if case .value(let value) = self { value.isLarge } else { false } }
  }

  init(
    id: JobID, operation: String, arguments: [String], environment: AttemptEnvironment, directory: String?,
    input: Input, masker: SecretMasker?, grace: Duration, files: LogFilePool, artifacts: [ArtifactKeeper.Wanted] = []
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
  }
}

extension Job {
  /// What the job finds in its environment, by name, but for the place of its result.
  var variables: [String: String] {
    var values = environment.values
    values["PENSTOCK_OPERATION"] = operation
    values["PENSTOCK_ATTEMPT"] = String(id.attempt)
    return values
  }
}

/// Which attempt a job is: what an executor knows it by before it has a name of its own.
struct JobID: Sendable, Hashable {
  let run: RunID
  let ordinal: Int
  let attempt: Int
}

/// What names a job for the one who asks for it, in this host or a later one.
struct JobHandle: Sendable, Hashable {
  /// How an executor calls a job.
  enum Name: Sendable, Hashable {
    /// A process of this machine. Only the local executor knows what that is.
    case process(Int32)
    case text(String)
    /// It has none yet: its start is open, and the job is asked for by its ``JobID``.
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

  /// Those at an executor, by operation.
  static func left(by attempts: [AttemptRecord], at executor: String) -> [Int: FormerJob] {
    var latest: [Int: AttemptRecord] = [:]
    for attempt in attempts where attempt.number >= latest[attempt.ordinal]?.number ?? 0 {
      latest[attempt.ordinal] = attempt
    }
    return latest.compactMapValues { attempt in
      guard attempt.executor == executor, attempt.error?.isEndOfHost == true else { return nil }
      let id = JobID(run: attempt.run, ordinal: attempt.ordinal, attempt: attempt.number)
      let handle = JobHandle(job: id, name: attempt.handle.map { .text($0) } ?? .open)
      return FormerJob(handle: handle, startedAt: attempt.startedAt)
    }
  }
}

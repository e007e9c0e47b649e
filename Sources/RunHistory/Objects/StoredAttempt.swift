import Workspace

/// An attempt as the table has it.
struct StoredAttempt: Storable {
  var operation: Int64
  var number: Int64
  var state: String
  var startedAt: Int64
  var endedAt: Int64?
  var exitCode: Int64?
  var signal: Int64?
  var errorCode: String?
  var error: String?
  var standardOutput: String?
  var standardError: String?
  var retryDelay: Int64?
  var retryDue: Int64?
  var wakeCause: String?
  var pid: Int64?
  var pidStarted: Int64?
  var resultFile: String?
  var resultSize: Int64?
  var result: String?
  var executor: String?
  var handle: String?

  static let operation = Field("operation", \StoredAttempt.operation)
  static let number = Field("number", \StoredAttempt.number)
  static let state = Field("state", \StoredAttempt.state)
  static let startedAt = Field("started_at", \StoredAttempt.startedAt)
  static let endedAt = Field("ended_at", \StoredAttempt.endedAt)
  static let exitCode = Field("exit_code", \StoredAttempt.exitCode)
  static let signal = Field("signal", \StoredAttempt.signal)
  static let errorCode = Field("error_code", \StoredAttempt.errorCode)
  static let error = Field("error", \StoredAttempt.error)
  static let standardOutput = Field("stdout_file", \StoredAttempt.standardOutput)
  static let standardError = Field("stderr_file", \StoredAttempt.standardError)
  static let retryDelay = Field("retry_delay", \StoredAttempt.retryDelay)
  static let retryDue = Field("retry_due", \StoredAttempt.retryDue)
  static let wakeCause = Field("wake_cause", \StoredAttempt.wakeCause)
  static let pid = Field("pid", \StoredAttempt.pid)
  static let pidStarted = Field("pid_started", \StoredAttempt.pidStarted)
  static let resultFile = Field("result_file", \StoredAttempt.resultFile)
  static let resultSize = Field("result_size", \StoredAttempt.resultSize)
  static let result = Field("result", \StoredAttempt.result)
  static let executor = Field("executor", \StoredAttempt.executor)
  static let handle = Field("handle", \StoredAttempt.handle)
  static let schema = ObjectSchema(
    "attempt_record", StoredAttempt.init, operation, number, state, startedAt, endedAt, exitCode, signal,
    errorCode, error, standardOutput, standardError, retryDelay, retryDue, wakeCause, pid, pidStarted,
    resultFile, resultSize, result, executor, handle, key: [operation, number])
}

extension StoredAttempt {
  /// The attempt, of the run whose number is in the key of its operation; nil where its state is none that this version knows.
  func record(of run: RunID) -> AttemptRecord? {
    guard let state = OperationState(rawValue: state) else { return nil }
    return AttemptRecord(
      run: run, ordinal: InstanceKey(operation).ordinal, number: number.asCount, state: state,
      startedAt: RecordTime(microseconds: startedAt), endedAt: endedAt.map(RecordTime.init(microseconds:)),
      exitCode: exitCode.flatMap { Int(exactly: $0) }, signal: signal.flatMap { Int(exactly: $0) },
      error: RecordedError(code: errorCode, message: error),
      result: RecordedResult(file: resultFile, size: resultSize, text: result), standardOutput: standardOutput,
      standardError: standardError, retryDelay: retryDelay.map { max(0, $0) },
      retryDue: retryDue.map(RecordTime.init(microseconds:)), wakeCause: wakeCause, pid: pid?.asProcess,
      pidStarted: pidStarted, executor: executor, handle: handle)
  }

  /// The attempts of a run, by its number.
  static func of(_ run: Int64) -> Condition<StoredAttempt> {
    let range = InstanceKey.range(of: run)
    return operation.between(range.first, range.last)
  }
}

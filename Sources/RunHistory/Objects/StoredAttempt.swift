import Workspace

/// An attempt as a row of the table.
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
  var userTime: Int64?
  var systemTime: Int64?

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
  static let userTime = Field("user_time", \StoredAttempt.userTime)
  static let systemTime = Field("system_time", \StoredAttempt.systemTime)
  static let schema = ObjectSchema(
    "attempt_record", StoredAttempt.init, operation, number, state, startedAt, endedAt, exitCode, signal,
    errorCode, error, standardOutput, standardError, retryDelay, retryDue, wakeCause, pid, pidStarted,
    resultFile, resultSize, result, executor, handle, userTime, systemTime, key: [operation, number])
}

extension StoredAttempt {
  /// Returns the attempt of the run whose number is in its operation's key, or nil if its state is unknown to this version.
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
      pidStarted: pidStarted, executor: executor, handle: handle, userTime: userTime.map { max(0, $0) },
      systemTime: systemTime.map { max(0, $0) })
  }

  /// The statement that inserts or replaces the row of an attempt.
  static let writing = "INSERT OR REPLACE INTO attempt_record " + BoundStatement.values(23)

  /// Binds the values of an attempt to ``writing``, in the order of the columns.
  static func bind(_ record: AttemptRecord, operation: InstanceKey, to statement: inout BoundStatement) {
    statement.bind(operation.value)
    statement.bind(record.number)
    statement.bind(record.state.rawValue)
    statement.bind(record.startedAt.microseconds)
    statement.bind(record.endedAt.map { max($0, record.startedAt).microseconds })
    statement.bind(record.exitCode)
    statement.bind(record.signal)
    statement.bind(record.error?.code)
    statement.bind(record.error?.message)
    statement.bind(record.standardOutput)
    statement.bind(record.standardError)
    statement.bind(record.retryDelay)
    statement.bind(record.retryDue?.microseconds)
    statement.bind(record.wakeCause)
    statement.bind(record.pid.map(Int64.init))
    statement.bind(record.pidStarted)
    statement.bind(record.result)
    statement.bind(record.executor)
    statement.bind(record.handle)
    statement.bind(record.userTime)
    statement.bind(record.systemTime)
  }

  /// The attempts of a run, by its number.
  static func of(_ run: Int64) -> Condition<StoredAttempt> {
    let range = InstanceKey.range(of: run)
    return operation.between(range.first, range.last)
  }
}

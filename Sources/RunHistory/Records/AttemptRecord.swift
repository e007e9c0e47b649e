/// The durable row of one attempt: always its latest state, completely rewritten each time.
public struct AttemptRecord: Sendable, Hashable {
  /// The run.
  public var run: RunID
  /// The number of the operation instance in the run.
  public var ordinal: Int
  /// 1 for the first attempt. Attempts after a resume continue the numbering.
  public var number: Int
  /// `running`, or how it ended: `succeeded`, `failed` or `cancelled`.
  public var state: OperationState
  /// When it began.
  public var startedAt: RecordTime
  /// When it ended.
  public var endedAt: RecordTime?
  /// The exit code of its process.
  public var exitCode: Int?
  /// The signal that ended its process.
  public var signal: Int?
  /// The error it failed with.
  public var error: RecordedError?
  /// The result. Omit it for the last, successful attempt: the operation's record has it, and the views show it here too.
  public var result: RecordedResult
  /// The log of its standard output, relative to the workspace; nil if it wrote nothing.
  public var standardOutput: String?
  /// The log of its standard error, relative to the workspace; nil if it wrote nothing.
  public var standardError: String?
  /// How long the following retry waits, as chosen, in microseconds.
  public var retryDelay: Int64?
  /// When the following retry is due.
  public var retryDue: RecordTime?
  /// What ended that wait: `delay`, `cancelled`, `wake` if it was requested, or the name of the waker that ended it early. Nil if there was none.
  public var wakeCause: String?
  /// The process, which leads a process group of the same number.
  public var pid: Int32?
  /// When that process started, in clock ticks since boot, which distinguishes it from a later process with the same id.
  public var pidStarted: Int64?
  /// The executor of its job, if that is not a process of the host's computer.
  public var executor: String?
  /// The executor's name for the job; nil as long as it is unknown whether it has begun.
  public var handle: String?
  /// The processor time of its process, and of the processes it started and waited for, in user mode, in microseconds. Nil if it had none, or until
  /// it has ended.
  public var userTime: Int64?
  /// The same for time in the kernel.
  public var systemTime: Int64?

  /// The sum of ``userTime`` and ``systemTime``; nil if neither is known.
  public var processorTime: Int64? {
    guard userTime != nil || systemTime != nil else { return nil }
    return min(userTime ?? 0, .max / 2) + min(systemTime ?? 0, .max / 2)
  }

  /// Creates the record of an attempt.
  public init(
    run: RunID, ordinal: Int, number: Int, state: OperationState, startedAt: RecordTime, endedAt: RecordTime? = nil,
    exitCode: Int? = nil, signal: Int? = nil, error: RecordedError? = nil, result: RecordedResult = .none,
    standardOutput: String? = nil, standardError: String? = nil, retryDelay: Int64? = nil, retryDue: RecordTime? = nil,
    wakeCause: String? = nil, pid: Int32? = nil, pidStarted: Int64? = nil, executor: String? = nil,
    handle: String? = nil, userTime: Int64? = nil, systemTime: Int64? = nil
  ) {
    self.run = run
    self.ordinal = ordinal
    self.number = number
    self.state = state
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.exitCode = exitCode
    self.signal = signal
    self.error = error
    self.result = result
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.retryDelay = retryDelay
    self.retryDue = retryDue
    self.wakeCause = wakeCause
    self.pid = pid
    self.pidStarted = pidStarted
    self.executor = executor
    self.handle = handle
    self.userTime = userTime
    self.systemTime = systemTime
  }
}

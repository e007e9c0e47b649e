import RunHistory

/// Runs the jobs of operations: on this computer, or on a cluster.
///
/// The interface between the engine and what runs its processes. A job specifies its program, environment and input as values, but its log files are
/// on this computer (``Job/files``), and an executor elsewhere has to fill them. An executor starts jobs and reports their ends, even to a host that
/// was started later: a handle is durable before anything waits for its job. A job that has begun is repeated only by `retry`; one that has certainly
/// not begun may be started again freely; a start with unknown outcome is open, and is recovered before it is repeated. Everything is called on the
/// event loop, and nothing may block it.
///
/// Read first: ``Job`` (what is run), ``JobStart`` and ``JobRecovery`` (the possible answers of an executor), `JobRunner` (the caller).
protocol Executor: AnyObject, Sendable {
  /// Its name in the history: `local`.
  var name: String { get }
  /// Whether its handles survive this process without being recorded.
  var keepsHandles: Bool { get }
  /// Whether its jobs use this computer's capacity, so that they count against the host's limit of concurrent work.
  var usesThisMachine: Bool { get }
  /// Whether it ends jobs that exceed their time limit itself, because they may wait before they begin. Default: false.
  var keepsTimeLimits: Bool { get }
  /// The fast path, for jobs that end with this host; nil if they outlive it. Default: nil.
  var fastDoor: (any FastDoor)? { get }

  /// Returns what jobs inherit of the host's environment; nil for all of it. Default: nil.
  func inherited(from host: ProcessEnvironment) -> ProcessEnvironment?

  /// Opens in advance what a job will need. Default: nothing.
  func makeReady(_ job: Job) throws
  /// Releases what was opened for a job that is not started after all. Default: nothing.
  func discard(_ job: Job)

  /// Starts a job. An executor that accepts many jobs as readily as one may wait a little for others, but returns each outcome as soon as it is known: until
  /// then, a job that runs already has no recorded handle.
  ///
  /// - Returns: The outcome of the start.
  nonisolated(nonsending) func start(_ job: Job) async -> JobStart
  /// Returns when the job has ended, even if it had before the call. An executor that fills the log files of the job itself needs the `job`, and calls its
  /// ``Job/whenLogged``; one whose jobs wait before they begin calls its ``Job/whenWaiting``.
  nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job?) async -> JobEnd
  /// Requests jobs to end, and kills them after `grace`, or immediately if it is zero. Ended jobs are ignored.
  func stop(_ handles: [JobHandle], grace: Duration)
  /// Determines the state of a job that this host, or a former one, has started or may have started.
  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery

  /// Terminates what the jobs of a run, all of which have ended, left behind. `mayHaveStarted` if something other than jobs may have left something
  /// of the run. Default: nothing.
  ///
  /// - Returns: What is to be reported about it.
  nonisolated(nonsending) func endLeftovers(of run: RunScope, mayHaveStarted: Bool) async -> [String]
  /// Drops what is kept of a run, whose end is durable. Default: nothing.
  nonisolated(nonsending) func forget(_ run: RunID) async
}

extension Executor {
  var keepsTimeLimits: Bool { false }
  var fastDoor: (any FastDoor)? { nil }
  func inherited(from host: ProcessEnvironment) -> ProcessEnvironment? { nil }
  func makeReady(_ job: Job) throws {}
  func discard(_ job: Job) {}
  nonisolated(nonsending) func endLeftovers(of run: RunScope, mayHaveStarted: Bool) async -> [String] { [] }
  func forget(_ run: RunID) {}
}

/// Runs a job in one call, which starts it before it first suspends: for an executor whose jobs are never recovered. *On the event loop.*
protocol FastDoor: AnyObject, Sendable {
  /// Prepares a job with a large input off the event loop. Default: nothing.
  ///
  /// - Throws: ``OperationFailure`` or ``EngineError``.
  func makeReadyBeside(_ job: Job, isolation: isolated (any Actor)?) async throws
  /// Runs a job from its start to its end.
  ///
  /// When the task is cancelled, the job is requested to end, and killed after its grace period; the call still returns only when it has ended.
  /// `begun` is called right after the start, when the job may still fail to execute its program, and `exited` when it has ended, before the caller
  /// continues.
  ///
  /// - Throws: ``OperationFailure`` or ``EngineError`` if nothing was started.
  func run(
    isolation: isolated (any Actor)?, _ job: Job, begun: (JobHandle, LogFiles) -> Void,
    exited: @escaping @Sendable () -> Void
  ) async throws -> JobEnd
}

extension FastDoor {
  func makeReadyBeside(_ job: Job, isolation: isolated (any Actor)?) async throws {}
}

/// The outcome of starting a job.
enum JobStart: Sendable {
  /// The executor has accepted the job, which continues whatever becomes of this host.
  case begun(JobHandle)
  /// The job will never begin, for this reason: there is no such program, or nothing may be started at all.
  case refused(any Error)
  /// The job has certainly not begun, for a reason that may pass.
  case notBegun(reason: String)
  /// It is unknown whether the job has begun.
  case open(JobHandle)
}

/// The state of a job that was, or may have been, started before.
enum JobRecovery {
  /// It is running, or has ended and is known: its end can be waited for.
  case running(JobHandle)
  case ended(JobEnd)
  /// It has certainly not begun, and never will by itself.
  case notBegun(reason: String)
  /// It had begun, or may have, and its end cannot be determined.
  case lost(reason: String)
}

/// A run as far as executors know it.
struct RunScope: Sendable {
  let id: RunID
  /// The directory of the workspace.
  let workspace: String
}

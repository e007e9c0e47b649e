import RunHistory

/// Where the jobs of operations run: this machine, or a cluster.
///
/// The seam between the engine and what runs its processes. A job names its program, environment and input as values, but still the log files of this machine
/// (``Job/files``), which an executor elsewhere has to fill. An executor starts jobs and tells their ends, also to a host that was started
/// later: a handle is durable before anybody waits for its job. What has begun is repeated only by `retry`; what has certainly not begun is started again free;
/// and a start whose fate nobody knows is open, and is asked for before it is tried again. Everything is called on the event loop, and nothing may block it.
///
/// Read first: ``Job`` (what is run), ``JobStart`` and ``JobRecovery`` (what an executor may answer), `JobRunner` (who asks).
protocol Executor: AnyObject, Sendable {
  /// How the history names it: `local`.
  var name: String { get }
  /// Whether its handles survive this process without being recorded.
  var keepsHandles: Bool { get }
  /// Whether its jobs take of this machine's capacity, so that they count against what the host may have at work at once.
  var usesThisMachine: Bool { get }
  /// The fast door, for jobs that end with this host; nil where they outlive it. Default: nil.
  var fastDoor: (any FastDoor)? { get }

  /// Opens ahead of its turn what a job will need. Default: nothing.
  func makeReady(_ job: Job) throws
  /// Gives back what was opened for a job that is not started after all. Default: nothing.
  func discard(_ job: Job)

  /// Starts jobs, as many at once as the caller has.
  ///
  /// - Returns: What became of each, in their order.
  nonisolated(nonsending) func start(_ jobs: [Job]) async -> [JobStart]
  /// Returns when the job has ended, also where it has before the call.
  nonisolated(nonsending) func end(of handle: JobHandle) async -> JobEnd
  /// Asks jobs to end, and makes them end after `grace`; at once where that is zero. Those that have ended are ignored.
  func stop(_ handles: [JobHandle], grace: Duration)
  /// What has become of a job that this host, or a former one, has started or may have.
  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery

  /// All jobs of a run have ended: ends what they have left behind. `mayHaveStarted` says that something else than jobs may have left something of the run.
  /// Default: nothing.
  ///
  /// - Returns: What is to be told of that.
  nonisolated(nonsending) func endLeftovers(of run: RunScope, mayHaveStarted: Bool) async -> [String]
  /// The end of a run is durable: drops what is kept of it. Default: nothing.
  func forget(_ run: RunID)
}

extension Executor {
  var fastDoor: (any FastDoor)? { nil }
  func makeReady(_ job: Job) throws {}
  func discard(_ job: Job) {}
  nonisolated(nonsending) func endLeftovers(of run: RunScope, mayHaveStarted: Bool) async -> [String] { [] }
  func forget(_ run: RunID) {}
}

/// What runs a job by one call that starts it before it suspends first: for an executor whose jobs nobody else will ever ask for. *On the loop.*
protocol FastDoor: AnyObject, Sendable {
  /// Makes a job ready beside the loop whose input is large. Default: nothing.
  ///
  /// - Throws: ``OperationFailure`` or ``EngineError``.
  func makeReadyBeside(_ job: Job, isolation: isolated (any Actor)?) async throws
  /// Runs a job from its start to its end.
  ///
  /// When the task is cancelled, the job is asked to end, and made to after its grace; the call still returns only when it has. `begun` is called right after
  /// the start, when the job may still fail to become its program, and `exited` when it has ended, before the caller continues.
  ///
  /// - Throws: ``OperationFailure`` or ``EngineError`` where nothing was started.
  func run(
    isolation: isolated (any Actor)?, _ job: Job, begun: (JobHandle, LogFiles) -> Void,
    exited: @escaping @Sendable () -> Void
  ) async throws -> JobEnd
}

extension FastDoor {
  func makeReadyBeside(_ job: Job, isolation: isolated (any Actor)?) async throws {}
}

/// What has become of the start of a job.
enum JobStart: Sendable {
  /// The job is the executor's, and goes on whatever becomes of this host.
  case begun(JobHandle)
  /// It will never begin, for this reason: there is no such program, or nothing may be started at all.
  case refused(any Error)
  /// It has certainly not begun, for a reason that may pass.
  case notBegun(reason: String)
  /// Nobody knows whether it has begun.
  case open(JobHandle)
}

/// What has become of a job that was, or may have been, started before.
enum JobRecovery {
  /// It goes on, or has ended and is known: its end can be waited for.
  case running(JobHandle)
  case ended(JobEnd)
  /// It has certainly not begun, and never will by itself.
  case notBegun(reason: String)
  /// It had begun, or may have, and nobody can tell its end.
  case lost(reason: String)
}

/// A run as far as executors know it.
struct RunScope: Sendable {
  let id: RunID
  /// The directory of the workspace.
  let workspace: String
}

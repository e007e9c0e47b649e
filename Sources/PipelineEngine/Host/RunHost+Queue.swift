import PipelineLanguage
import RunHistory
import Values
import Workspace

/// Queued runs: rows of the history that belong to no host until one claims them.
extension RunHost {
  /// Returns the record of a run of `pipeline` that is to be queued.
  package func queuedRun(
    of pipeline: PipelineDefinition, options: RunOptions, queue: String, priority: Int, startBy: RecordTime?
  ) -> QueuedRun {
    QueuedRun(
      of: pipeline, options: options, queue: queue, priority: priority, startBy: startBy,
      configuration: services.configuration, at: services.now())
  }

  /// Records an occasion together with its queued run, or with the reason why there is none. Durable when it returns. `onLate` is called with queued
  /// runs that are skipped because their time to begin has passed.
  package func admit(
    _ request: OccasionRequest, onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> Admission {
    try await services.recorder.admit(request, onLate: onLate)
  }

  /// Records several occasions in one transaction.
  package func admit(_ requests: [OccasionRequest]) async throws -> [Admission] {
    try await services.recorder.admit(requests)
  }

  /// Records an occasion together with its run, which this host begins now with the returned record; nil if its instant is already recorded.
  package func begin(
    _ occasion: Occasion, of pipeline: PipelineDefinition, options: RunOptions
  ) async throws -> RunRecord? {
    let run = queuedRun(
      of: pipeline, options: options, queue: QueuedRun.defaultQueue, priority: 0, startBy: nil)
    return try await services.recorder.begin(occasion, run)
  }

  /// Claims the queued runs that are next; see `HistoryRecorder.takeQueued`.
  package func takeQueued(
    _ places: QueueTurns.Places, held: Set<String>, single: Set<String>,
    onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> [QueueTurns.Taken] {
    try await services.recorder.takeQueued(
      places, held: held, single: single, host: services.configuration.hostName, at: services.now(), onLate: onLate)
  }

  /// Skips queued runs whose time to begin has passed, and returns them. For claimed runs, see ``leaveOutLate(_:)``.
  package func leaveOutLate() async throws -> [LateRun] {
    try await services.recorder.leaveOutLate(at: services.now())
  }

  /// Ends a claimed run if its time to begin has passed and it has not begun. Returns false if it has no engine (yet).
  package func leaveOutLate(_ run: RunID) -> Bool {
    guard let engine = running.withLock({ $0[run] }) else { return false }
    services.loop.execute { engine.assumeIsolated { $0.leaveOutLate() } }
    return true
  }

  /// Runs a queued run that this host has claimed to its end. Cancelling the calling task cancels the run.
  ///
  /// A run whose recorded definition can no longer be loaded fails without beginning. `onBegin` is called on the engine's thread when the run begins,
  /// and must return immediately.
  ///
  /// - Throws: The errors of ``run(_:options:events:onEvent:)``; `CancellationError` if it was cancelled while its definition could not be read for
  ///   lack of descriptors, in which case it is queued again.
  package func run(
    _ taken: QueueTurns.Taken, in place: RunPlace? = nil, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil, onBegin: (@Sendable () -> Void)? = nil
  ) async throws -> RunOutcome {
    let id = taken.run.id
    var record = taken.run
    // A host that no longer exists had claimed it before; the command of a secret may still be running.
    if record.fence > QueuedRun.firstFence {
      let services = services
      _ = await Task(executorPreference: services.loop) {
        await services.shared.formerProcesses.end(of: id, host: .current, isolation: nil) {
          true
        } waits: {
          false
        }
      }.value
    }
    do {
      let pipeline = try await services.writing.waitingOutLookFailures {
        try recordedPipelines.pipeline(of: taken.run, definition: taken.definition, nested: taken.nested)
      }
      return try await run(
        pipeline, options: RunOptions(recorded: taken.run), recordedAs: taken.run, startBy: taken.startBy, place: place,
        events: events, onEvent: onEvent, onBegin: onBegin)
    } catch let error as InvalidPipeline {
      record.reason = RunReason.notBegun(Occasion.Reason.invalidDefinition.rawValue, why: "\(error)").text
    } catch let error as MissingDependency {
      record.reason = RunReason.notBegun("missing-dependency", why: "\(error)").text
    } catch let error as RunNotFound {
      record.reason = RunReason.notBegun("run-not-found", why: "\(error)").text
    } catch let error as CancellationError {
      // It was waiting for its definition: it is queued again, or has ended if its cancellation was requested.
      try await services.recorder.giveUp(id)
      history.workspace.announce()
      throw error
    }
    (record.state, record.endedAt) = (.failed, services.now())
    services.recorder.record(
      .runEnded(id, state: .failed, reason: record.reason, counts: record.counts, at: record.endedAt ?? services.now()))
    try await services.recorder.flushToDisk()
    history.workspace.announce()
    return RunOutcome(run: record, results: [:])
  }
}

extension QueuedRun {
  /// The fencing token of a queued run that is claimed for the first time: it was created with 1.
  fileprivate static let firstFence: Int64 = 2

  /// Creates a queued run of `pipeline` with these options, for a program that does not host runs itself.
  package init(
    of pipeline: PipelineDefinition, options: RunOptions, queue: String, priority: Int, startBy: RecordTime?,
    configuration: HostConfiguration = HostConfiguration(), at time: RecordTime
  ) {
    var record = RunRecord(of: pipeline, id: .generate(at: time), options, configuration, at: time)
    record.params = pipeline.recordedParameters(options.parameters)
    record.counts = RunCounts(operations: pipeline.operations.count)
    record.origin.source = options.source
    record.origin.selection = options.selection
    record.origin.isForced = options.isForced
    self.init(
      record: record, definition: pipeline.source.text, nested: pipeline.recordedTexts, queue: queue,
      priority: priority, startBy: startBy)
  }
}

extension RunHost {
  /// Creates a run slot among the runs executed at once: see ``RunPlace/init(isHeld:loop:delayer:onChange:)``.
  package func place(isHeld: Bool, onChange: @escaping @Sendable () -> Void) -> RunPlace {
    RunPlace(isHeld: isHeld, loop: services.loop, delayer: services.configuration.delayer, onChange: onChange)
  }
}

/// The time of the host, for decisions about when runs begin.
extension RunHost {
  /// Publishes when pipelines are due next, and what makes them due then.
  package func publishNext(_ instants: [(pipeline: String, at: RecordTime?, cause: String?)]) async throws {
    try await services.recorder.publishNext(instants)
  }

  /// Returns the wall clock's time.
  package func now() -> RecordTime { services.now() }

  /// Waits until `duration` has passed by the host's timers, or the task is cancelled.
  package func delay(for duration: Duration) async throws {
    try await services.context.operationDelayer.delay(for: duration)
  }

  /// The names of this computer and of this process's user, as in records.
  package var whereabouts: (host: String, user: String) {
    (services.configuration.hostName, services.configuration.user)
  }

  /// Waits until no process on the workspace holds a name, and acquires it. `waiting` is called for each process that holds it in the meantime.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, or the workspace's error.
  package func waitForLease(
    _ name: String, holder: String, waiting: @escaping @Sendable (_ holder: String, _ process: Int32) -> Void
  ) async throws -> Lease {
    let services = services
    let wait = Task(executorPreference: services.loop) { @Sendable in
      let gate = LeaseGate(services: services)
      return try await gate.take(name, holder: holder, waiting: waiting)
    }
    return try await withTaskCancellationHandler {
      try await wait.value
    } onCancel: {
      wait.cancel()
    }
  }
}

/// Acquires a name on the event loop.
private actor LeaseGate {
  let services: HostServices
  nonisolated var unownedExecutor: UnownedSerialExecutor { services.loop.asUnownedSerialExecutor() }

  init(services: HostServices) {
    self.services = services
  }

  func take(
    _ name: String, holder: String, waiting: @Sendable (String, Int32) -> Void
  ) async throws -> Lease {
    let hold = try await services.shared.locks.take(
      name, holder: LeaseHolder(named: holder), watch: services.observations.watch,
      waiting: { waiting($0.description, $0.process) }, noticing: { _ in })
    return Lease(
      name: hold.name, owner: .current, holder: holder, fence: hold.fence, acquiredAt: services.now().microseconds)
  }
}

import PipelineLanguage
import RunHistory
import Values
import Workspace

/// Runs that wait for their turn: rows of the history, which belong to nobody until a host takes them.
extension RunHost {
  /// The record of a run of `pipeline` that is to be queued.
  package func queuedRun(
    of pipeline: PipelineDefinition, options: RunOptions, queue: String, priority: Int, startBy: RecordTime?
  ) -> QueuedRun {
    QueuedRun(
      of: pipeline, options: options, queue: queue, priority: priority, startBy: startBy,
      configuration: services.configuration, at: services.now())
  }

  /// Records an occasion together with its queued run, or with the reason why there is none; durable when it returns. `onLate` is told of queued runs that are left out, as their
  /// time to begin is over.
  package func admit(
    _ request: OccasionRequest, onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> Admission {
    try await services.recorder.admit(request, onLate: onLate)
  }

  /// The same for several occasions, in one transaction.
  package func admit(_ requests: [OccasionRequest]) async throws -> [Admission] {
    try await services.recorder.admit(requests)
  }

  /// Records an occasion together with its run, which this host begins now with the returned record; nil where its instant is known already.
  package func begin(
    _ occasion: Occasion, of pipeline: PipelineDefinition, options: RunOptions
  ) async throws -> RunRecord? {
    let run = queuedRun(
      of: pipeline, options: options, queue: QueuedRun.defaultQueue, priority: 0, startBy: nil)
    return try await services.recorder.begin(occasion, run)
  }

  /// Takes queued runs that are next; see `HistoryRecorder.takeQueued`.
  package func takeQueued(
    _ places: QueueTurns.Places, held: Set<String>, single: Set<String>,
    onLate: @Sendable ([LateRun]) -> Void = { _ in }
  ) async throws -> [QueueTurns.Taken] {
    try await services.recorder.takeQueued(
      places, held: held, single: single, host: services.configuration.hostName, at: services.now(), onLate: onLate)
  }

  /// Leaves out queued runs whose time to begin is over, and returns them. Those that were taken, ``leaveOutLate(_:)`` does.
  package func leaveOutLate() async throws -> [LateRun] {
    try await services.recorder.leaveOutLate(at: services.now())
  }

  /// Ends a run that this host has taken, if its time to begin is over and it has not begun. False where no engine has it (yet).
  package func leaveOutLate(_ run: RunID) -> Bool {
    guard let engine = running.withLock({ $0[run] }) else { return false }
    services.loop.execute { engine.assumeIsolated { $0.leaveOutLate() } }
    return true
  }

  /// Runs a queued run that this host has taken to its end. Cancelling the calling task cancels it.
  ///
  /// One whose recorded definition does not load any more fails without beginning. `onBegin` is called on the engine's thread when it begins, and must return at once.
  ///
  /// - Throws: What ``run(_:options:events:onEvent:)`` throws; `CancellationError` where it was cancelled while its definition could not be read for lack of descriptors,
  ///   and is queued again.
  package func run(
    _ taken: QueueTurns.Taken, in place: RunPlace? = nil, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil, onBegin: (@Sendable () -> Void)? = nil
  ) async throws -> RunOutcome {
    let id = taken.run.id
    var record = taken.run
    // A host that is gone had taken it before: the command of a secret may still run.
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
      // It waited for its definition: it is queued again, or has ended by that where somebody has cancelled it.
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
  /// The fencing number of a queued run that is taken for the first time: it was made with 1.
  fileprivate static let firstFence: Int64 = 2

  /// A run of `pipeline` with these options, for a program that need not host runs.
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
  /// A place for a run among those that go on at once: see ``RunPlace/init(isHeld:loop:onChange:)``.
  package func place(isHeld: Bool, onChange: @escaping @Sendable () -> Void) -> RunPlace {
    RunPlace(isHeld: isHeld, loop: services.loop, delayer: services.configuration.delayer, onChange: onChange)
  }
}

/// The time of the host, for what decides when runs begin.
extension RunHost {
  /// Publishes when pipelines are due next, and what makes them due then.
  package func publishNext(_ instants: [(pipeline: String, at: RecordTime?, cause: String?)]) async throws {
    try await services.recorder.publishNext(instants)
  }

  /// The wall clock.
  package func now() -> RecordTime { services.now() }

  /// Returns when `duration` has passed by the host's timers, or the task is cancelled.
  package func delay(for duration: Duration) async throws {
    try await services.context.operationDelayer.delay(for: duration)
  }

  /// The name of this computer and of this process's user, as records have them.
  package var whereabouts: (host: String, user: String) {
    (services.configuration.hostName, services.configuration.user)
  }

  /// Waits until nobody on the workspace has a name, and takes it; `waiting` is told of each process that has it meanwhile.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, or what the workspace throws.
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

/// Takes a name on the loop.
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

import Expressions
import PipelineLanguage
import RunHistory
import Values

/// One run with all its parts, each of which has its own rules. Everything in it is accessed only on the event loop, and operations change their
/// state only through the ``RunRecorder``.
///
/// Everything that acts on a run receives this: actions, attempts, and the engine that drives it. The parts know the engine only by ``calls``.
final class Run {
  let services: HostServices
  let brief: RunBrief
  let state: RunProgress
  let recorder: RunRecorder
  let limits: RunLimits
  let queue = ReadyQueue()
  var ending = RunEnding()
  let waits = RunWaits()
  let jobs: RunJobs
  /// The observable conditions of the pipeline.
  let conditions: RunConditions
  let plugins: RunPlugins
  let secrets: RunSecrets
  var recordedItems = RecordedItems()
  /// The active nested runs, by the operation that each belongs to.
  var children: [Int: any ChildRun] = [:]
  /// What only the engine can do.
  var calls = RunCalls()

  init(
    services: HostServices, pipeline: PipelineDefinition, _ brief: RunBrief, inheritedSecrets: KnownSecrets,
    formerSecrets: [RunID: [String: String]], hiddenVariables: Set<String>,
    runnable: (OperationDefinition.Action) -> any RunnableAction
  ) {
    self.services = services
    self.brief = brief
    let (workspace, options) = (services.history.workspace.directory, brief.options)
    state = RunProgress(
      id: brief.id, pipeline: pipeline, parameters: options.parameters, workspace: workspace, runnable: runnable)
    state.given.event = options.event ?? .null
    state.given.instant = options.instant
    conditions = RunConditions(run: state, services: services)
    plugins = RunPlugins(run: state, services: services)
    secrets = RunSecrets(
      of: state, inherited: inheritedSecrets, former: formerSecrets, hiddenVariables: hiddenVariables)
    limits = RunLimits(
      slots: pipeline.concurrency ?? max(1, services.configuration.processors),
      resources: pipeline.resources.map(\.capacity), names: pipeline.resources.map(\.name),
      host: services.shared.limits,
      place: brief.place, isWithinHolder: brief.isWithinHolder)
    jobs = RunJobs(
      of: state, secrets: secrets, services: services,
      logs: LogFilePool(workspace: workspace, relative: "runs/\(brief.id.text)"))
    let record = brief.queued ?? RunRecord(of: pipeline, brief, services.configuration, at: services.now())
    recorder = RunRecorder(record, state, jobs: jobs, brief, services: services)
  }

  var id: RunID { brief.id }
  var options: RunOptions { brief.options }
  var parent: RunRecord.Parent? { brief.parent }
  var observer: RunObserver { brief.observer }
  var logs: LogFilePool { jobs.logs }
  var cancellation: RunCancellation? { ending.cancellation }
  var isForced: Bool { ending.isForced }

  // MARK: Expressions

  /// Returns the contexts that the expressions of an operation see.
  func contexts(_ ordinal: Int, environment: [(name: String, value: String)] = []) -> RunContexts {
    RunContexts(run: state, ordinal: ordinal, environment: environment)
  }

  /// Whether `when` holds, given the current content of files.
  nonisolated(nonsending) func isSatisfied(_ condition: Expression, for ordinal: Int) async throws -> Bool {
    try await readFiles(ordinal, for: .condition)
    defer { dropReadings(ordinal) }
    return try holds(condition, for: ordinal)
  }

  /// Whether `when` holds, given what has been read of files; anything else is read on the event loop.
  func holds(_ condition: Expression, for ordinal: Int) throws -> Bool {
    do {
      return try contexts(ordinal).isTruthy(condition)
    } catch {
      throw OperationFailure(code: "expression", message: "when: \(error.message)")
    }
  }

  /// Reads what `until` is about to use from files. It sees the latest result under the operation's own name.
  nonisolated(nonsending) func prepareUntil(_ ordinal: Int, _ result: OperationResult) async throws {
    guard state.instances[ordinal].node.definition.repetition?.until != nil else { return }
    state.instances[ordinal].latest.result = result
    state.files.note(result, of: ordinal)
    try await readFiles(ordinal, for: .repetition)
  }

  /// Returns the exclusive names that are held around a nested run of an operation.
  func namesHeld(by ordinal: Int) throws -> [String: RunID] {
    guard let exclusive = state.instances[ordinal].node.definition.exclusive else { return brief.heldNames }
    var names = brief.heldNames
    names[try exclusive.evaluate(in: contexts(ordinal)).injectedText] = state.id
    return names
  }

  // MARK: Ending operations

  /// The reason recorded for an operation that ends because the run does.
  var cancellationReason: OperationReason { cancellation == .timeout ? .runTimeout : .runCancelled }

  /// Whether the cancellation of the run applies to this operation or item. Handlers run regardless.
  func isCalledOff(_ ordinal: Int) -> Bool {
    guard cancellation != nil, state.instances[ordinal].node.event == nil else { return false }
    return !ending.spared.contains(state.instances[ordinal].parent ?? ordinal)
  }

  /// Whether an operation or item may continue with its next step.
  func mayGoOn(_ ordinal: Int) -> Bool { !Task.isCancelled && !isForced && !isCalledOff(ordinal) }

  /// Whether it is not known yet if the operation, or the loop of the item, outlasts the cancellation.
  func isAsked(_ ordinal: Int) -> Bool { ending.asked[state.instances[ordinal].parent ?? ordinal] != nil }

  /// Returns once it is known whether the operation outlasts the cancellation.
  nonisolated(nonsending) func awaitAnswer(_ ordinal: Int) async {
    await ending.asked[state.instances[ordinal].parent ?? ordinal]?.value
  }

  /// Whether the `when` of an operation that has not begun is evaluated although the run is cancelled.
  func mayBeAsked(_ ordinal: Int) -> Bool {
    guard state.instances[ordinal].node.isAskedWhenCancelled, !isForced else { return false }
    switch cancellation {
    case .requested, .timeout, nil: return true
    case .late, .history, .engine: return false
    }
  }

  /// Whether enough items of a loop have failed that no further ones begin.
  func hasEndedEarly(_ loop: Int) -> Bool {
    guard let limit = state.instances[loop].node.definition.loop?.failureLimit else { return false }
    return ending.loops.failures(of: loop) >= limit
  }

  /// Returns why an item ends early although the run continues, or nil if its loop is not the reason.
  func earlyEnd(of item: Int) -> (failures: Int, loop: String)? {
    guard let loop = state.instances[item].parent, hasEndedEarly(loop),
      let limit = state.instances[loop].node.definition.loop?.failureLimit
    else { return nil }
    return (limit, state.instances[loop].name)
  }

  /// Returns the failure that is recorded for an operation that ends because the run or its loop does.
  func cancellationError(_ ordinal: Int) -> OperationFailure {
    if cancellation == nil, !isForced, let end = earlyEnd(of: ordinal) {
      let items = end.failures == 1 ? "item" : "items"
      return OperationFailure(code: "items-failed", ownWords: "\(end.failures) \(items) of '\(end.loop)' failed")
    }
    return OperationFailure(code: "cancelled", ownWords: "the run was \(ending.canceller?.words ?? "cancelled")")
  }

  /// Whether it is an item whose failure may end its loop.
  func mayEndLoop(_ item: Int) -> Bool {
    state.instances[item].parent != nil && state.instances[item].node.definition.loop?.failureLimit != nil
  }

  // MARK: Slots

  /// Returns what an attempt of the operation takes.
  func demand(_ ordinal: Int) -> RunLimits.Demand {
    let node = state.instances[ordinal].node
    return RunLimits.Demand(
      slots: node.needsSlot && !isElsewhere(node) ? 1 : 0, resources: node.definition.resources,
      countsAtHost: countsAtHost(node))
  }

  /// Whether an attempt counts against the host's limit of concurrent work. It does not if another computer does the work, or operations of a nested run.
  func countsAtHost(_ node: OperationNode) -> Bool {
    !node.isNestedPipeline
      && (!node.action.startsJob || services.executors.executor(of: node.definition).usesThisMachine)
  }

  /// Whether the file names an executor elsewhere, whose jobs do not count against the run's `concurrency` either.
  func isElsewhere(_ node: OperationNode) -> Bool {
    guard node.definition.executor != nil, node.action.startsJob else { return false }
    return !services.executors.executor(of: node.definition).usesThisMachine
  }

  /// Returns the executor of an operation's jobs.
  func executor(_ ordinal: Int) -> any Executor {
    services.executors.executor(of: state.instances[ordinal].node.definition)
  }

  /// Returns what an operation has taken. Operations that wait for more than a slot are notified by the limits themselves.
  func release(_ demand: RunLimits.Demand) {
    if limits.release(demand) { queue.wakeForSlot() }
  }

  /// Returns everything that an attempt of an operation has taken.
  func releaseAll(of ordinal: Int) {
    services.shared.resources.giveBack(id, ordinal)
    release(demand(ordinal))
  }

  /// Wakes the scheduler.
  func wake() { queue.wake() }

  // MARK: Requests of other processes

  /// Listens for requests of other processes to this run, and checks for those made earlier.
  func listen() {
    guard !waits.isListening else { return }
    waits.isListening = true
    services.requests.add(
      id,
      RequestRouter.Listener(
        fence: { [unowned self] in recorder.run.fence },
        onRequest: { [weak self] in self?.calls.take($0) },
        questions: { [unowned self] in Set(waits.approvals.keys) },
        onAnswers: { [weak self] ordinals in
          for ordinal in ordinals { self?.waits.approvals[ordinal]?.wake() }
        }))
  }
}

/// What concerns the whole run and only its engine can do. Called on the event loop.
struct RunCalls {
  /// The run, or one nested in it, belongs to another host.
  var lose: (RunID) -> Void = { _ in }
  /// Another process has made a request to the run.
  var take: (PendingRequest) -> Void = { _ in }
  /// Creates the engine of a nested run.
  var makeChild: ((PipelineDefinition, RunBrief) -> any ChildRun)?
}

/// A nested run, which is an operation of another run.
protocol ChildRun: Sendable {
  var id: RunID { get }
  /// Runs it to its end: see ``RunEngine/run(after:)``.
  func run(after former: FormerRuns?) async throws -> RunOutcome
  /// Returns what failed first in it, for the message of the run that contains it.
  func firstFailure() async -> String?
  /// Whether it, or a run nested in it, is `run`. Called on the event loop.
  func includes(_ run: RunID) -> Bool
  /// Whether everything in it waits: see ``Run/isResting(leaving:)``. Called on the event loop.
  func isResting(leaving: Bool) -> Bool
  /// Releases what it and the runs nested in it keep for later attempts. Called on the event loop.
  func giveBackSpares()
  /// Ends it for the same cause as the run around it. Called on the event loop.
  func end(because cause: ChildEnd)
}

/// What ends a nested run from outside.
enum ChildEnd: Sendable {
  case cancelled(RunCancellation)
  case killed
  /// That run belongs to another host now.
  case lost(RunID)
  /// A run around it or in it is interrupted.
  case interrupted(Interruption)
}

/// Why a host interrupts one of its runs, for the next host to resume.
enum Interruption: Sendable {
  /// Its records, or those of a run around it or in it, no longer fit in memory.
  case unrecorded
  /// Everything in it waits, and its host is about to end.
  case left

  func error(of run: RunID) -> EngineError {
    switch self {
    case .unrecorded: .unrecorded(run)
    case .left: .left(run)
    }
  }
}

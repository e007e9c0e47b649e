import Expressions
import PipelineLanguage
import RunHistory
import Values

/// One run with all that belongs to it, each part of which has a rule of its own: everything in it is touched on the event loop alone, and an operation changes its
/// state by the ``RunRecorder`` alone.
///
/// Whatever acts on a run is given this: actions, attempts, and the engine that drives it, of which the parts know only ``calls``.
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
  /// What the formulas of the pipeline are made into.
  let conditions: RunConditions
  let plugins: RunPlugins
  let secrets: RunSecrets
  var recordedItems = RecordedItems()
  /// The nested runs that go on, by the operation that each belongs to.
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

  /// What the expressions of an operation see.
  func contexts(_ ordinal: Int, environment: [(name: String, value: String)] = []) -> RunContexts {
    RunContexts(run: state, ordinal: ordinal, environment: environment)
  }

  /// Whether `when` holds, by what is in files now.
  nonisolated(nonsending) func isSatisfied(_ condition: Expression, for ordinal: Int) async throws -> Bool {
    try await readFiles(ordinal, for: .condition)
    defer { dropReadings(ordinal) }
    return try holds(condition, for: ordinal)
  }

  /// The same, with what is known of files; what is not, it reads on the loop.
  func holds(_ condition: Expression, for ordinal: Int) throws -> Bool {
    do {
      return try contexts(ordinal).isTruthy(condition)
    } catch {
      throw OperationFailure(code: "expression", message: "when: \(error.message)")
    }
  }

  /// Reads what `until` is about to ask files for. It sees the latest result under the operation's own name.
  nonisolated(nonsending) func prepareUntil(_ ordinal: Int, _ result: OperationResult) async throws {
    guard state.instances[ordinal].node.definition.repetition?.until != nil else { return }
    state.instances[ordinal].latest.result = result
    state.files.note(result, of: ordinal)
    try await readFiles(ordinal, for: .repetition)
  }

  /// The exclusive names that a nested run of an operation finds held around it.
  func namesHeld(by ordinal: Int) throws -> [String: RunID] {
    guard let exclusive = state.instances[ordinal].node.definition.exclusive else { return brief.heldNames }
    var names = brief.heldNames
    names[try exclusive.evaluate(in: contexts(ordinal)).injectedText] = state.id
    return names
  }

  // MARK: What ends operations

  /// Why an operation that ends with the run does.
  var cancellationReason: OperationReason { cancellation == .timeout ? .runTimeout : .runCancelled }

  /// Whether the cancellation of the run is one of this operation, or item, as well. Handlers run all the same.
  func isCalledOff(_ ordinal: Int) -> Bool {
    guard cancellation != nil, state.instances[ordinal].node.event == nil else { return false }
    return !ending.spared.contains(state.instances[ordinal].parent ?? ordinal)
  }

  /// Whether an operation, or item, may go on to its next step.
  func mayGoOn(_ ordinal: Int) -> Bool { !Task.isCancelled && !isForced && !isCalledOff(ordinal) }

  /// Whether it is not known yet whether the operation, or the one that the item is of, goes on in the cancelled run.
  func isAsked(_ ordinal: Int) -> Bool { ending.asked[state.instances[ordinal].parent ?? ordinal] != nil }

  /// Returns when it is known whether the operation goes on.
  nonisolated(nonsending) func awaitAnswer(_ ordinal: Int) async {
    await ending.asked[state.instances[ordinal].parent ?? ordinal]?.value
  }

  /// Whether an operation that has not begun is asked its `when` although the run is cancelled.
  func mayBeAsked(_ ordinal: Int) -> Bool {
    guard state.instances[ordinal].node.isAskedWhenCancelled, !isForced else { return false }
    switch cancellation {
    case .requested, .timeout, nil: return true
    case .late, .history, .engine: return false
    }
  }

  /// Whether so many items of a loop have failed that no further ones begin.
  func hasEndedEarly(_ loop: Int) -> Bool {
    guard let limit = state.instances[loop].node.definition.loop?.failureLimit else { return false }
    return ending.loops.failures(of: loop) >= limit
  }

  /// Why an item ends before it has come to an end of its own, though the run goes on; nil where nothing of its loop is the reason.
  func earlyEnd(of item: Int) -> (failures: Int, loop: String)? {
    guard let loop = state.instances[item].parent, hasEndedEarly(loop),
      let limit = state.instances[loop].node.definition.loop?.failureLimit
    else { return nil }
    return (limit, state.instances[loop].name)
  }

  /// What is recorded of what ends because the run does, or its loop.
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

  /// What an attempt of the operation takes.
  func demand(_ ordinal: Int) -> RunLimits.Demand {
    let node = state.instances[ordinal].node
    return RunLimits.Demand(
      slots: node.needsSlot ? 1 : 0, resources: node.definition.resources, countsAtHost: countsAtHost(node))
  }

  /// Whether an attempt counts against what the host may have at work at once: not where another machine does the work, or operations of a nested run.
  func countsAtHost(_ node: OperationNode) -> Bool {
    !node.isNestedPipeline && (!node.action.startsJob || services.executors.jobs.usesThisMachine)
  }

  /// Gives back what an operation has taken. Whoever waits for more than a slot is told by the limits themselves.
  func release(_ demand: RunLimits.Demand) {
    if limits.release(demand) { queue.wakeForSlot() }
  }

  /// Gives back everything that an attempt of an operation has taken.
  func releaseAll(of ordinal: Int) {
    services.shared.resources.giveBack(id, ordinal)
    release(demand(ordinal))
  }

  /// Lets the scheduler look again.
  func wake() { queue.wake() }

  // MARK: What others ask of it

  /// Listens for what other processes ask of this run, and looks for what they have asked already.
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

/// What the parts of a run cannot do, as it concerns all of it: its engine does. Called on the loop.
struct RunCalls {
  /// The run, or one nested in it, is another host's.
  var lose: (RunID) -> Void = { _ in }
  /// Somebody asks something of the run.
  var take: (PendingRequest) -> Void = { _ in }
  /// Makes the engine of a nested run.
  var makeChild: ((PipelineDefinition, RunBrief) -> any ChildRun)?
}

/// A run that an operation of another is.
protocol ChildRun: Sendable {
  var id: RunID { get }
  /// Runs it to its end: see ``RunEngine/run(after:)``.
  func run(after former: FormerRuns?) async throws -> RunOutcome
  /// What failed first in it, for the message of the run that contains it.
  func firstFailure() async -> String?
  /// Whether it, or a run nested in it, is this one. Called on the loop.
  func includes(_ run: RunID) -> Bool
  /// Whether everything in it waits: see ``Run/isResting(countingShortages:)``. Called on the loop.
  func isResting(countingShortages: Bool) -> Bool
  /// Gives back what it and the runs nested in it keep for later attempts. Called on the loop.
  func giveBackSpares()
  /// What ends the run around it ends it. Called on the loop.
  func end(because cause: ChildEnd)
}

/// What ends a nested run from outside.
enum ChildEnd: Sendable {
  case cancelled(RunCancellation)
  case killed
  /// That run is another host's now.
  case lost(RunID)
  /// A run around it or in it is interrupted.
  case interrupted(Interruption)
}

/// Why a host interrupts a run of its own, for the next host to resume.
enum Interruption: Sendable {
  /// Its records, or those of a run around it or in it, no longer fit what is held.
  case unrecorded
  /// Everything in it waits, and its host is to end.
  case left

  func error(of run: RunID) -> EngineError {
    switch self {
    case .unrecorded: .unrecorded(run)
    case .left: .left(run)
    }
  }
}

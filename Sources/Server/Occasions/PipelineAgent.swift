import Operations
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization
import Values

/// The controllers and conditions that start one version of a pipeline. Each of their events becomes an occasion, in order.
final class PipelineAgent: Sendable {
  /// Records an occasion with the run that it requests, and returns the outcome once it is recorded.
  typealias Admit = @Sendable (Occasion, QueuedRun, OccasionRequest.Overlap) async throws -> Admission

  private struct State {
    var recorder: EventRecorder?
    /// The store that runs the pipeline when its conditions say so, for as long as it is held.
    var automation: PipelineAutomation?
    /// Whether the next run of its store is the first one, which `automatic` allows.
    var beginsFirst = false
    var subscriptions: [OperationSubscription] = []
    var tasks: [Task<Void, Never>] = []
    /// The runs whose end a condition waits for.
    var awaited: [RunID: CheckedContinuation<RunOutcome, any Error>] = [:]
    var hasEnded = false
  }

  let pipeline: ServedPipeline
  private let host: RunHost
  private let absence: PipelineAbsence
  /// Until when its condition was observed before; nil if it was not.
  private let followed: RecordTime?
  private let awaited: AwaitedRuns
  private let admit: Admit
  private let onSkip: @Sendable (Occasion, Occasion.Reason) -> Void
  private let onCondition: @Sendable (PipelineCondition) -> Void
  private let onTrouble: @Sendable (_ position: Int, ControllerTrouble?) -> Void
  private let onProblem: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - pipeline: The pipeline to run.
  ///   - host: The host that runs it.
  ///   - absence: The time for which it was not in effect before, and why.
  ///   - awaited: Notified of the runs whose end it waits for.
  ///   - admit: Records occasions.
  ///   - onSkip: Called for each occasion that the agent records itself because no run results from it.
  ///   - onCondition: Called with the state of its conditions, at once and after each change. Any thread.
  ///   - onTrouble: Called with the position of a controller and why it fails, or nil when it works again. Any thread.
  ///   - onProblem: Called with what prevents controllers or conditions from working.
  init(
    _ pipeline: ServedPipeline, in host: RunHost, absence: PipelineAbsence, awaited: AwaitedRuns,
    admit: @escaping Admit, onSkip: @escaping @Sendable (Occasion, Occasion.Reason) -> Void,
    onCondition: @escaping @Sendable (PipelineCondition) -> Void,
    onTrouble: @escaping @Sendable (_ position: Int, ControllerTrouble?) -> Void,
    onProblem: @escaping @Sendable (String) -> Void
  ) {
    self.pipeline = pipeline
    self.host = host
    self.absence = absence
    // Before anything of this version is published.
    followed = pipeline.outline.rerunOnChange.flatMap { condition in
      let name = PipelineCondition.Key.rerunOnChange.rawValue
      return try? host.history.followed(name, condition.text, of: pipeline.name)
    }
    self.awaited = awaited
    self.admit = admit
    self.onSkip = onSkip
    self.onCondition = onCondition
    self.onTrouble = onTrouble
    self.onProblem = onProblem
  }

  /// Starts the controllers and conditions.
  ///
  /// - Throws: Errors of expressions in settings, and of plugins that can no longer be used.
  func begin() throws {
    guard pipeline.runsByItself, !pipeline.isIdle else { return }
    if !pipeline.outline.controllers.isEmpty { try beginControllers() }
    if pipeline.outline.automatic != nil || pipeline.outline.rerunOnChange != nil { try beginConditions() }
  }

  /// Ends them. What the controllers report until they have ended is still recorded: see ``catchUp()`` and ``finish(unless:)``.
  func end() {
    let ended = state.withLock { state in
      state.hasEnded = true
      defer { state = State(recorder: state.recorder, hasEnded: true) }
      return state
    }
    ended.recorder?.stop()
    for subscription in ended.subscriptions { subscription.cancel() }
    for task in ended.tasks { task.cancel() }
    awaited.remove(pipeline.name, ended.awaited.count)
    for continuation in ended.awaited.values { continuation.resume(throwing: CancellationError()) }
  }

  /// Whether nothing more of its controllers will be recorded.
  var isOver: Bool { state.withLock { $0.recorder }?.isOver ?? true }

  /// Waits until what its controllers reported before is recorded, unless it cannot be at the moment.
  func catchUp() async { await state.withLock { $0.recorder }?.catchUp() }

  /// Waits until its controllers have ended, after ``end()``, and what they reported is recorded, unless `isImpossible`.
  func finish(unless isImpossible: @Sendable () -> Bool) async {
    await state.withLock { $0.recorder }?.finish(unless: isImpossible)
  }

  /// Gives up what is not recorded, and returns how many events are lost.
  func giveUp() async -> Int { await state.withLock { $0.recorder }?.giveUp() ?? 0 }

  /// Handles a change of the queue: a run for which a condition waits may have been cancelled or skipped before it began.
  func queueChanged() {
    for id in state.withLock({ Array($0.awaited.keys) }) {
      guard let run = try? host.history.run(id), run.state.isFinal else { continue }
      ended(run)
    }
  }

  /// Handles the end of a run of the pipeline.
  func ended(_ run: RunRecord) {
    takeAwaited(run.id)?.resume(returning: RunOutcome(run: run, results: [:]))
  }

  private func takeAwaited(_ run: RunID) -> CheckedContinuation<RunOutcome, any Error>? {
    let continuation = state.withLock { $0.awaited.removeValue(forKey: run) }
    if continuation != nil { awaited.remove(pipeline.name) }
    return continuation
  }

  // MARK: Controllers

  private func beginControllers() throws {
    let admission = EventAdmission(pipeline: pipeline, host: host, absence: absence, admit: admit, onSkip: onSkip)
    let recorder = try EventRecorder(
      delay: { [host] in try await host.delay(for: $0) }, record: { try await admission.record($0) },
      onProblem: onProblem
    ) { onEvent in
      try host.controllers(
        of: pipeline.outline, parameters: pipeline.parameters, leftOut: true, onTrouble: onTrouble, onEvent: onEvent)
    }
    keep { $0.recorder = recorder }
  }

  // MARK: Conditions

  private func beginConditions() throws {
    let (outline, parameters) = (pipeline.outline, pipeline.parameters)
    let isHeld = Atomic(true)
    let automation = try host.automation(
      of: outline, parameters: parameters, isHeld: { isHeld.load(ordering: .sequentiallyConsistent) },
      telling: onCondition, onRefusal: { [weak self] in self?.recordRefusal($0, $1) }
    ) { [weak self] in
      guard let self else { throw CancellationError() }
      return try await runByCondition()
    }
    let (store, condition) = (automation.store, automation.condition)
    keep { $0.automation = automation }
    // A success that is good enough may belong to a former host.
    if outline.staleWhen != nil,
      let latest = try host.history.runs(
        RunFilter(pipeline: pipeline.name, states: [.succeeded], limit: 1)
      ).first
    {
      store.setResult(to: .success(RunOutcome(run: latest, results: [:])))
    }
    // Being served is not a reason to run; the first run that `automatic` allows is started below.
    let subscription = store.subscribe(with: OperationEventHandler())
    isHeld.store(false, ordering: .sequentiallyConsistent)
    let awaitsFirst = Atomic(outline.controllers.isEmpty && outline.automatic != nil && isNew)
    let beginFirst: @Sendable () -> Void = { [weak self] in
      guard awaitsFirst.load(ordering: .sequentiallyConsistent), store.isAutomaticRunningEnabled,
        awaitsFirst.exchange(false, ordering: .sequentiallyConsistent)
      else { return }
      guard store.isStale else {
        let words = [condition(.automatic), condition(.staleWhen)].compactMap { $0?.words }
        self?.recordRefusal(.notStale, words.joined(separator: "; "))
        return
      }
      self?.beginFirst(store)
    }
    let following = try host.followAutomatic(of: outline, parameters: parameters, beginFirst)
    keep { state in
      state.subscriptions += [subscription, automation.following, following]
    }
    beginFirst()
    automation.begin()
    // Changes and successes while nothing observed it, or when a host was killed before it could record the occasion.
    if let followed, followed <= host.now() { automation.makeUp(followed) }
  }

  private func beginFirst(_ store: OperationStore<QueryState<RunOutcome, any Error>>) {
    let first = Task { [weak self] in
      self?.state.withLock { $0.beginsFirst = true }
      _ = try? await store.fetch()
      self?.state.withLock { $0.beginsFirst = false }
    }
    keep { $0.tasks.append(first) }
  }

  /// Whether there is no run of this version yet: `automatic` then counts from the beginning, as after an edit.
  private var isNew: Bool {
    let latest = try? host.history.runs(RunFilter(pipeline: pipeline.name, limit: 1)).first
    return latest.map { $0.definitionHash != pipeline.hash } ?? true
  }

  /// The body of the pipeline's store: queues a run and waits for its end.
  private func runByCondition() async throws -> RunOutcome {
    var occasion = Occasion(pipeline: pipeline.name, cause: .condition, askedAt: host.now())
    occasion.detail = decision
    let run = pipeline.run(for: occasion, event: nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        awaited.add(pipeline.name)
        let isOver = state.withLock { state in
          guard !state.hasEnded, !Task.isCancelled else { return true }
          state.awaited[run.record.id] = continuation
          return false
        }
        guard !isOver else {
          awaited.remove(pipeline.name)
          return continuation.resume(throwing: CancellationError())
        }
        Task { [occasion] in await self.admit(occasion, run) }
      }
    } onCancel: {
      callOff(run.record.id)
    }
  }

  /// Cancels the run, queued or running, because its condition became false. Does nothing if the agent has ended: runs outlive it.
  private func callOff(_ run: RunID) {
    guard let continuation = takeAwaited(run) else { return }
    continuation.resume(throwing: CancellationError())
    Task { [host, onProblem] in
      do {
        try await Self.cancel(run, in: host.history, at: host.now())
      } catch {
        onProblem("cannot cancel the run \(run.text), whose condition turned false: \(error)")
      }
    }
  }

  @concurrent private static func cancel(_ run: RunID, in history: History, at time: RecordTime) async throws {
    try history.request(.cancel, of: run, for: RunCanceller(means: .condition), at: time)
  }

  /// Returns the condition that lets the store start a run now, and why it is true.
  private var decision: String? {
    let (automation, isFirst) = state.withLock { state in
      defer { state.beginsFirst = false }
      return (state.automation, state.beginsFirst)
    }
    let condition = automation?.condition(isFirst ? .automatic : .rerunOnChange)
    // It may already be false again: then the reason for which it was true is unknown.
    return condition.map { $0.value == true ? $0.words : "\($0.key.rawValue) turned true: \($0.formula)" }
  }

  /// Records that its conditions became true, and why there is no run nevertheless.
  private func recordRefusal(_ reason: Occasion.Reason, _ why: String) {
    let occasion = Occasion(pipeline: pipeline.name, cause: .condition, askedAt: host.now(), detail: why)
    // Not among the tasks that end with the agent: past events are recorded, and a host runs for months.
    Task { [host, onProblem, onSkip] in
      do {
        _ = try await host.admit(OccasionRequest(occasion, without: reason))
        onSkip(occasion, reason)
      } catch {
        onProblem("cannot record that its condition is true: \(error)")
      }
    }
  }

  private func admit(_ occasion: Occasion, _ run: QueuedRun) async {
    do {
      guard case .queued = try await admit(occasion, run, pipeline.overlap) else { return abandon(run.record.id) }
      // The condition may have become false before the run was queued, when there was nothing to cancel.
      let isCalledOff = state.withLock { !$0.hasEnded && $0.awaited[run.record.id] == nil }
      if isCalledOff { try await Self.cancel(run.record.id, in: host.history, at: host.now()) }
    } catch {
      onProblem("cannot record that its condition is true: \(error)")
      abandon(run.record.id)
    }
  }

  /// Notes that nothing waits for the run any more, or that it does not come.
  private func abandon(_ run: RunID) {
    takeAwaited(run)?.resume(throwing: CancellationError())
  }

  private func keep(_ change: (inout State) -> Void) {
    let isOver = state.withLock { state in
      change(&state)
      return state.hasEnded
    }
    if isOver { end() }
  }
}

import Operations
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization
import Values

/// What starts one version of a pipeline by itself: its controllers and its conditions. Each thing that they tell becomes an occasion, in its order.
final class PipelineAgent: Sendable {
  /// Records an occasion with the run that it asks for, and returns what came of it once that is sure.
  typealias Admit = @Sendable (Occasion, QueuedRun, OccasionRequest.Overlap) async throws -> Admission

  private struct State {
    var session: ControllerSession?
    /// Runs the pipeline when its conditions say so, as long as somebody has it.
    var automation: PipelineAutomation?
    /// Whether the run that its store begins next is the first one, which `automatic` allows.
    var beginsFirst = false
    var subscriptions: [OperationSubscription] = []
    var tasks: [Task<Void, Never>] = []
    /// Conditions whose run has not ended.
    var awaited: [RunID: CheckedContinuation<RunOutcome, any Error>] = [:]
    var hasEnded = false
  }

  let pipeline: ServedPipeline
  private let host: RunHost
  private let absence: PipelineAbsence
  /// Until when its condition was followed before; nil where it was not.
  private let followed: RecordTime?
  private let awaited: AwaitedRuns
  private let admit: Admit
  private let onSkip: @Sendable (Occasion, Occasion.Reason) -> Void
  private let onCondition: @Sendable (PipelineCondition) -> Void
  private let onTrouble: @Sendable (_ position: Int, ControllerTrouble?) -> Void
  private let onProblem: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - pipeline: What to run.
  ///   - host: Who runs it.
  ///   - absence: How long it has not been at work before, and why.
  ///   - awaited: Told of the runs whose end it waits for.
  ///   - admit: Records occasions.
  ///   - onSkip: Told of each occasion that it has recorded itself, because no run comes of it.
  ///   - onCondition: Told of what its conditions are, at once and after each change. Any thread.
  ///   - onTrouble: Told what keeps a controller from its work, by its position, and with nil that nothing does any more. Any thread.
  ///   - onProblem: Told of what keeps controllers or conditions from their work.
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

  /// Lets controllers and conditions begin.
  ///
  /// - Throws: What an expression in settings throws, or what a plugin that cannot be used any more does.
  func begin() throws {
    guard pipeline.runsByItself, !pipeline.isIdle else { return }
    if !pipeline.outline.controllers.isEmpty { try beginControllers() }
    if pipeline.outline.automatic != nil || pipeline.outline.rerunOnChange != nil { try beginConditions() }
  }

  /// Ends them. What they have told and nobody has taken they may tell again.
  func end() {
    let ended = state.withLock { state in
      state.hasEnded = true
      defer { state = State(hasEnded: true) }
      return state
    }
    ended.session?.end()
    for subscription in ended.subscriptions { subscription.cancel() }
    for task in ended.tasks { task.cancel() }
    awaited.remove(pipeline.name, ended.awaited.count)
    for continuation in ended.awaited.values { continuation.resume(throwing: CancellationError()) }
  }

  /// The queue has changed: a run for which a condition waits may have been cancelled, or left out, before it began.
  func queueChanged() {
    for id in state.withLock({ Array($0.awaited.keys) }) {
      guard let run = try? host.history.run(id), run.state.isFinal else { continue }
      ended(run)
    }
  }

  /// A run of the pipeline has ended.
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
    let (wakes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let session = try host.controllers(
      of: pipeline.outline, parameters: pipeline.parameters, leftOut: true, onTrouble: onTrouble
    ) { sink.yield() }
    let task = Task { [weak self] in
      for await _ in wakes {
        guard await self?.takeEvents(of: session) == true else { return }
      }
    }
    keep { state in
      state.session = session
      state.tasks.append(task)
    }
    // What was told before anybody listened.
    sink.yield()
  }

  /// Records what controllers have told. False when the agent has ended.
  private func takeEvents(of session: ControllerSession) async -> Bool {
    while let event = session.next() {
      // Its controller remembers it only when it is recorded; until then it is tried again.
      while !Task.isCancelled {
        do {
          try await record(event)
          await session.settle(event)
          break
        } catch {
          onProblem("cannot record what \(event.controller) tells: \(error)")
          guard (try? await host.delay(for: .seconds(1))) != nil else { return false }
        }
      }
      if Task.isCancelled { return false }
    }
    return !state.withLock(\.hasEnded)
  }

  private func record(_ event: ControllerEvent) async throws {
    if let leftOut = event.leftOut {
      let requests = leftOut.occasions(
        of: pipeline.name, controller: event.controller, during: absence, at: host.now())
      for (request, admission) in zip(requests, try await host.admit(requests)) {
        if case .skipped(let reason, _) = admission { onSkip(request.occasion, reason) }
      }
      return
    }
    let occasion = Occasion(
      pipeline: pipeline.name, cause: event.instant == nil ? .event : .instant, controller: event.controller,
      instant: event.instant, askedAt: host.now(), detail: event.value["reason"]?.stringValue)
    _ = try await admit(occasion, pipeline.run(for: occasion, event: event.value), pipeline.overlap)
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
    // What is good enough may be of a former host.
    if outline.staleWhen != nil,
      let latest = try host.history.runs(
        RunFilter(pipeline: pipeline.name, states: [.succeeded], limit: 1)
      ).first
    {
      store.setResult(to: .success(RunOutcome(run: latest, results: [:])))
    }
    // To be served is no reason to run; what `automatic` allows at first is begun below.
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
    // What changed or succeeded while nobody followed it, or when a host was killed before it could record what comes of that.
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

  /// Whether there is no run of this version yet: then `automatic` counts from the beginning, as after an edit.
  private var isNew: Bool {
    let latest = try? host.history.runs(RunFilter(pipeline: pipeline.name, limit: 1)).first
    return latest.map { $0.definitionHash != pipeline.hash } ?? true
  }

  /// The body of the pipeline's store: queues a run, and waits for its end.
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
      abandon(run.record.id)
    }
  }

  /// The condition that lets the store begin a run now, and why it is true.
  private var decision: String? {
    let (automation, isFirst) = state.withLock { state in
      defer { state.beginsFirst = false }
      return (state.automation, state.beginsFirst)
    }
    let condition = automation?.condition(isFirst ? .automatic : .rerunOnChange)
    // It may be false again already: then nobody can say any more why it was true.
    return condition.map { $0.value == true ? $0.words : "\($0.key.rawValue) turned true: \($0.formula)" }
  }

  /// Records that its conditions have come true, and why there is no run all the same.
  private func recordRefusal(_ reason: Occasion.Reason, _ why: String) {
    let occasion = Occasion(pipeline: pipeline.name, cause: .condition, askedAt: host.now(), detail: why)
    // Not among the tasks that end with the agent: what has happened is recorded, and a host lives for months.
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
    } catch {
      onProblem("cannot record that its condition is true: \(error)")
      abandon(run.record.id)
    }
  }

  /// Nobody waits for the run any more, or it does not come.
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

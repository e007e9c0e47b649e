import OperatingSystem
import Operations
import PipelineLanguage
import RunHistory
import Values

/// A run of a pipeline as a query: its value is how the run ended, including a failed run.
///
/// With the conditions of the pipeline's file as modifiers, its store runs the pipeline again by itself.
struct PipelineQuery: QueryRequest {
  let path: OperationPath
  let body: @Sendable () async throws -> RunOutcome

  func fetch(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<RunOutcome, any Error>
  ) async throws -> RunOutcome {
    try await body()
  }
}

/// A specification that can be held back from outside.
private struct HoldableSpecification: OperationRunSpecification {
  let base: AnyOperationRunSpecification
  let isHeld: @Sendable () -> Bool

  func isSatisfied(in context: OperationContext) -> Bool { !isHeld() && base.isSatisfied(in: context) }

  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    base.subscribe(in: context, onChange: onChange)
  }
}

/// A pipeline that runs by itself.
package struct PipelineAutomation: Sendable {
  /// Runs the pipeline while it has subscribers.
  package let store: OperationStore<QueryState<RunOutcome, any Error>>
  /// Reports changes of the pipeline's conditions until it is cancelled.
  package let following: OperationSubscription
  /// Returns the current value of a condition; nil if the pipeline has none under that key, or no success that `stale_when` could apply to. May be
  /// called from any thread.
  package let condition: @Sendable (PipelineCondition.Key) -> PipelineCondition?
  /// Runs the pipeline for what has made `rerun_on_change` true since this was created. Must be called once, when there is a subscriber and nothing is held.
  package let begin: @Sendable () -> Void
  /// Lets `rerun_on_change` become true because of what has changed or succeeded since a time in the past.
  package let makeUp: @Sendable (RecordTime) -> Void
}

extension RunHost {
  /// Returns a store that runs `pipeline` on request, and by itself according to the file: `automatic` allows it, `rerun_on_change` starts it, and
  /// `stale_when` determines whether the latest success is stale.
  ///
  /// It does so while it has subscribers.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline to run.
  ///   - parameters: Its params, for the paths of conditions.
  ///   - isHeld: While it returns true, nothing runs by itself, whatever `automatic` is. Called on any thread. Default: never held.
  ///   - body: Runs the pipeline once. Never called concurrently.
  /// - Returns: The store, which is not shared.
  /// - Throws: An error if the path of a condition cannot be computed.
  public func store(
    for pipeline: PipelineDefinition, parameters: [String: JSONValue],
    isHeld: @escaping @Sendable () -> Bool = { false },
    running body: @escaping @Sendable () async throws -> RunOutcome
  ) throws -> OperationStore<QueryState<RunOutcome, any Error>> {
    let automation = try automation(
      of: pipeline, parameters: parameters, isHeld: isHeld, telling: nil, running: body)
    automation.begin()
    return automation.store
  }

  /// Returns such a store with its conditions. `onCondition` is called with the values of `automatic` and `rerun_on_change`, immediately and after
  /// each change; `onRefusal` is called when `rerun_on_change` has become true without leading to a run, with `notAutomatic` or `notStale` and the
  /// reason in words. Both may be called on any thread.
  package func automation(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue],
    isHeld: @escaping @Sendable () -> Bool = { false },
    telling onCondition: (@Sendable (PipelineCondition) -> Void)?,
    onRefusal: @escaping @Sendable (Occasion.Reason, String) -> Void = { _, _ in },
    running body: @escaping @Sendable () async throws -> RunOutcome
  ) throws -> PipelineAutomation {
    let context = services.context
    let make: @Sendable (SpecificationFormula, ConditionReference) throws -> AnyOperationRunSpecification = {
      [services] formula, reference in
      let run = RunProgress(
        id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
      return try RunConditions(run: run, services: services).make(formula, since: reference)
    }
    let allowed = try pipeline.automatic.map { try make($0, .run) }
    let automatic = HoldableSpecification(base: allowed ?? AnyOperationRunSpecification(.always), isHeld: isHeld)
    let reruns = try pipeline.rerunOnChange.map { formula in
      // Each run is evaluated against what is new since it began, of which it may have seen nothing.
      try PipelineReruns(in: context) { try make(formula, $0) }
    }
    // Nil if the latest run has not succeeded, or its age cannot be determined.
    let staleness: @Sendable (RunRecord?, OperationContext) -> AnyOperationRunSpecification? = { run, context in
      guard let formula = pipeline.staleWhen, let run, run.state == .succeeded, let ended = run.endedAt else {
        return nil
      }
      // The age of a success in the future is unknown: the clock was set back.
      guard Timestamp(ended) <= context.operationClock.now() else { return nil }
      return try? make(formula, .success(PastSuccess(startedAt: run.startedAt, endedAt: ended)))
    }
    let query = PipelineQuery(path: ["pipeline", pipeline.name]) {
      reruns?.runBegins()
      return try await body()
    }
    let automated =
      query
      .deduplicated()
      .handleEvents(
        with: OperationEventHandler(onStateChanged: { state, _ in if !state.isLoading { reruns?.runEnded() } })
      )
      .controlled(by: PipelineRerunController(reruns: reruns))
      // If it cannot be evaluated, it counts as stale: one run too many is better than none.
      .staleWhen { state, context in
        staleness(state.currentValue?.run, context)?.isSatisfied(in: context) ?? true
      }
      .enableAutomaticRunning(onlyWhen: automatic)
    let store = OperationStore.detached(automated, context: context)
    let condition: @Sendable (PipelineCondition.Key) -> PipelineCondition? = { [weak store] key in
      let (formula, specification) =
        switch key {
        case .automatic: (pipeline.automatic, allowed)
        case .rerunOnChange: (pipeline.rerunOnChange, reruns?.condition)
        case .staleWhen: (pipeline.staleWhen, staleness(store?.currentValue?.run, context))
        }
      guard let formula, let specification else { return nil }
      return PipelineCondition(key, formula, specification, in: context)
    }
    let refused: @Sendable () -> Void = { [weak store] in
      guard let store, !isHeld() else { return }
      func refuse(_ reason: Occasion.Reason, _ key: PipelineCondition.Key) {
        onRefusal(reason, [.rerunOnChange, key].compactMap { condition($0)?.words }.joined(separator: "; "))
      }
      if !store.isAutomaticRunningEnabled {
        refuse(.notAutomatic, .automatic)
      } else if !store.isStale {
        refuse(.notStale, .staleWhen)
      }
    }
    var following: [OperationSubscription] = []
    if let onCondition {
      for (key, specification) in [(PipelineCondition.Key.automatic, allowed), (.rerunOnChange, reruns?.condition)] {
        let tell: @Sendable () -> Void = { if let condition = condition(key) { onCondition(condition) } }
        // Subscribe before evaluating, so that a change between the two is not missed.
        if let specification { following.append(specification.subscribe(in: context, onChange: tell)) }
        tell()
      }
    }
    return PipelineAutomation(
      store: store, following: .combined(following), condition: condition,
      begin: { reruns?.follow(onRefusal: refused) },
      makeUp: { reruns?.makeUp(since: $0) })
  }

  /// Calls `body` each time the pipeline's `automatic` may have become true, until the subscription is cancelled. Without that key, the pipeline may
  /// always run, and `body` is never called.
  public func followAutomatic(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue], _ body: @escaping @Sendable () -> Void
  ) throws -> OperationSubscription {
    guard let formula = pipeline.automatic else { return .empty }
    let run = RunProgress(
      id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
    return try RunConditions(run: run, services: services).make(formula).subscribe(in: services.context, onChange: body)
  }

  /// Reports changes of the files at `paths` after `moment` of ``FileClock``, each by its path.
  ///
  /// A caller that reads the files after `moment`, and then calls this, misses nothing as long as the clock is not set in between. The files have to
  /// be listed one by one: writing to a file does not change its directory.
  public func changes(of paths: [String], since moment: Timestamp) -> AsyncStream<String> {
    changes(of: paths, watching: {}) { $0.add($1, since: moment, $2) }
  }

  /// Reports changes at `paths`, each by its path, from the moment at which `watching` is called on the event loop.
  ///
  /// A caller that reads the paths after that moment misses nothing, whatever the clock says and whatever is at the paths.
  public func changes(of paths: [String], watching: @escaping @Sendable () -> Void) -> AsyncStream<String> {
    changes(of: paths, watching: watching) { $0.add($1, $2) }
  }

  private func changes(
    of paths: [String], watching: @escaping @Sendable () -> Void,
    by add: @escaping @Sendable (PathWatch, String, @escaping () -> Void) -> Int
  ) -> AsyncStream<String> {
    let services = services
    let (stream, continuation) = AsyncStream<String>.makeStream()
    services.loop.execute {
      let entries = paths.map { path in
        // With its links, which may be replaced.
        add(services.observations.paths, PathText.rooted(path)) { continuation.yield(path) }
      }
      continuation.onTermination = { _ in
        services.loop.execute { for entry in entries { services.observations.paths.remove(entry) } }
      }
      watching()
    }
    return stream
  }
}

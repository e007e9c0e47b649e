import OperatingSystem
import Operations
import PipelineLanguage
import RunHistory
import Synchronization
import Values

/// A run of a pipeline as a query: its value is how the run ended, a failed run included.
///
/// With the conditions of the pipeline's file as modifiers, a store of it runs the pipeline again by itself.
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

/// What one of the conditions is by which a pipeline runs by itself.
package struct PipelineCondition: Sendable, Hashable {
  /// The key of the pipeline that has it: `automatic` or `rerun_on_change`.
  package let key: String
  /// The condition, as it is written.
  package let formula: String
  /// Whether it is true; nil where nobody knows.
  package let value: Bool?
  /// Why, for people.
  package let reason: String

  fileprivate init(
    _ key: String, _ formula: SpecificationFormula, _ specification: AnyOperationRunSpecification,
    in context: OperationContext
  ) {
    self.key = key
    self.formula = formula.text
    value = specification.value(in: context)
    reason = specification.description(in: context).reason
  }
}

/// What makes a pipeline run again: a condition on what is new since the latest run began.
private final class Reruns: Sendable {
  private let make: @Sendable () throws -> AnyOperationRunSpecification
  private let current: RenewableSpecification
  /// For when the run that goes on has ended, and whether it was true when that began.
  private let next = Mutex<(condition: AnyOperationRunSpecification, wasTrue: Bool)?>(nil)
  private let context: OperationContext
  private let wasSatisfied = Mutex(false)
  /// Whether it was true when somebody last looked for a turn.
  private let wasTrue = Mutex(false)
  private let following = Mutex<OperationSubscription?>(nil)

  var condition: AnyOperationRunSpecification { AnyOperationRunSpecification(current) }

  init(in context: OperationContext, _ make: @escaping @Sendable () throws -> AnyOperationRunSpecification) throws {
    self.context = context
    self.make = make
    current = RenewableSpecification(try make())
  }

  /// Lets each further change count of which no run came: one that came while the latest success was good enough, or nothing was to run by itself, must not
  /// be the last one that is noticed.
  ///
  /// To be called when the controllers of `store` follow the condition, which must hear of a change first. `onRefusal` is called when it has turned true and no
  /// run came of that.
  func follow(_ store: OperationStore<QueryState<RunOutcome, any Error>>, onRefusal: @escaping @Sendable () -> Void) {
    wasTrue.withLock { $0 = current.isSatisfied(in: context) }
    let subscription = current.subscribe(in: context) { [weak self, weak store] in
      guard let self, let store else { return }
      let isSatisfied = current.isSatisfied(in: context)
      let hasTurned = wasTrue.withLock { wasTrue in
        defer { wasTrue = isSatisfied }
        return isSatisfied && !wasTrue
      }
      if hasTurned, !store.isLoading { onRefusal() }
      let isRepeated = wasSatisfied.withLock { wasSatisfied in
        defer { wasSatisfied = isSatisfied }
        return isSatisfied && wasSatisfied
      }
      guard isRepeated, !store.isLoading else { return }
      // What would be true of this moment alone, such as that a file is there, has not become true again.
      if let fresh = try? make(), !fresh.isSatisfied(in: context) { current.turnTrueAgain() }
    }
    following.withLock { $0 = subscription }
  }

  func runBegins() {
    // What could be made once can be made again.
    guard let made = try? make() else { return }
    let wasTrue = made.isSatisfied(in: context)
    next.withLock { $0 = (made, wasTrue) }
  }

  func runEnded() {
    let next = next.withLock { $0.take() }
    guard let next else { return }
    current.renew(next.condition, mayTurnTrue: !next.wasTrue)
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

extension RunHost {
  /// A store that runs `pipeline` when it is asked to, and without being asked as the file says: `automatic` allows it, `rerun_on_change` starts it,
  /// and `stale_when` says whether the latest success still will do.
  ///
  /// It does so while somebody subscribes.
  ///
  /// - Parameters:
  ///   - pipeline: What to run.
  ///   - parameters: Its params, for the paths of conditions.
  ///   - isHeld: While it answers true, nothing runs without being asked, whatever `automatic` says. Asked on any thread. Default never.
  ///   - body: Runs it once. Called by one run at a time.
  /// - Returns: The store, which nobody shares.
  /// - Throws: An error where the path of a condition cannot be computed.
  public func store(
    for pipeline: PipelineDefinition, parameters: [String: JSONValue],
    isHeld: @escaping @Sendable () -> Bool = { false },
    running body: @escaping @Sendable () async throws -> RunOutcome
  ) throws -> OperationStore<QueryState<RunOutcome, any Error>> {
    try store(for: pipeline, parameters: parameters, isHeld: isHeld, telling: nil, running: body).store
  }

  /// The same, with what tells `onCondition` of the pipeline's conditions, at once and after each of their changes, until it is cancelled, and
  /// `onRefusal` when `rerun_on_change` has turned true and no run comes of that: with `notAutomatic` or `notStale`, and in words why. Any thread.
  package func store(
    for pipeline: PipelineDefinition, parameters: [String: JSONValue],
    isHeld: @escaping @Sendable () -> Bool = { false },
    telling onCondition: (@Sendable (PipelineCondition) -> Void)?,
    onRefusal: @escaping @Sendable (Occasion.Reason, String) -> Void = { _, _ in },
    running body: @escaping @Sendable () async throws -> RunOutcome
  ) throws -> (store: OperationStore<QueryState<RunOutcome, any Error>>, following: OperationSubscription) {
    let conditions: @Sendable () -> RunConditions = { [services] in
      let run = RunProgress(
        id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
      return RunConditions(run: run, services: services)
    }
    let shared = conditions()
    let allowed = try pipeline.automatic.map { try shared.make($0) }
    let automatic = HoldableSpecification(base: allowed ?? AnyOperationRunSpecification(.always), isHeld: isHeld)
    let reruns = try pipeline.rerunOnChange.map { formula in
      // Each run is asked for what is new since it began, of which it may have seen nothing.
      try Reruns(in: services.context) { try conditions().make(formula, since: .now) }
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
      .rerunOnChange(of: reruns?.condition ?? AnyOperationRunSpecification(.never))
      .staleWhen { state, context in
        guard let formula = pipeline.staleWhen else { return true }
        guard let run = state.currentValue?.run, run.state == .succeeded, let ended = run.endedAt else { return true }
        // How old a success from the future is cannot be known: the clock was set back.
        guard Timestamp(ended) <= context.operationClock.now() else { return true }
        // What cannot be asked is taken for stale: it runs once too often rather than never.
        let success = ConditionReference.success(PastSuccess(startedAt: run.startedAt, endedAt: ended))
        return (try? conditions().make(formula, since: success))?.isSatisfied(in: context) ?? true
      }
      .enableAutomaticRunning(onlyWhen: automatic)
    let store = OperationStore.detached(automated, context: services.context)
    reruns?.follow(store) { [weak store] in
      guard let store, !isHeld() else { return }
      if !store.isAutomaticRunningEnabled {
        onRefusal(.notAutomatic, "automatic: \(pipeline.automatic?.text ?? "always") is false")
      } else if !store.isStale {
        onRefusal(.notStale, "stale_when: \(pipeline.staleWhen?.text ?? "always") is false of the latest success")
      }
    }
    guard let onCondition else { return (store, .empty) }
    let told = [
      ("automatic", pipeline.automatic, allowed), ("rerun_on_change", pipeline.rerunOnChange, reruns?.condition),
    ]
    let subscriptions = told.compactMap { key, formula, specification -> OperationSubscription? in
      guard let formula, let specification else { return nil }
      let tell: @Sendable () -> Void = { [context = services.context] in
        onCondition(PipelineCondition(key, formula, specification, in: context))
      }
      // Listening begins before asking, so that a change between the two is not missed.
      let subscription = specification.subscribe(in: services.context, onChange: tell)
      tell()
      return subscription
    }
    return (store, .combined(subscriptions))
  }

  /// Calls `body` each time the pipeline's `automatic` may have turned true, until the subscription is cancelled. Without that key, the pipeline may
  /// always run, and `body` is never called.
  public func followAutomatic(
    of pipeline: PipelineDefinition, parameters: [String: JSONValue], _ body: @escaping @Sendable () -> Void
  ) throws -> OperationSubscription {
    guard let formula = pipeline.automatic else { return .empty }
    let run = RunProgress(
      id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
    return try RunConditions(run: run, services: services).make(formula).subscribe(in: services.context, onChange: body)
  }

  /// Tells of changes of the files at `paths` after `moment` of ``FileClock``, each by its path.
  ///
  /// Who reads the files after `moment`, and then calls this, misses nothing.
  public func changes(of paths: [String], since moment: Timestamp) -> AsyncStream<String> {
    let services = services
    let (stream, continuation) = AsyncStream<String>.makeStream()
    services.loop.execute {
      let entries = paths.map { path in
        services.observations.paths.add(PathText.absolute(path), since: moment) { continuation.yield(path) }
      }
      continuation.onTermination = { _ in
        services.loop.execute { for entry in entries { services.observations.paths.remove(entry) } }
      }
    }
    return stream
  }
}

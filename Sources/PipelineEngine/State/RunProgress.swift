import Expressions
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Values

/// Everything that changes during a run. An operation is counted in `unfinished` until it has ended, and in `remaining` of each operation that
/// depends on it. Owned by its engine and accessed only on the engine's executor.
final class RunProgress {
  let id: RunID
  let pipeline: PipelineDefinition
  let plan: RunPlan
  // Exclusivity is not checked at run time, which would be some forty checks for each operation: all accesses are on the event loop, and none calls
  // out while it lasts.
  /// The operations of the pipeline, then the handlers, then the items of loops as they are created.
  @exclusivity(unchecked) var instances: [OperationInstance] = []
  /// The progress under former hosts, by instance; empty unless the run was resumed.
  var former: [Int: FormerProgress] = [:]
  /// In a retry, why operations recorded in the retried run are executed again, in words; otherwise empty.
  var again: [Int: String] = [:]
  /// The results of the previous rounds of repeated operations that are past their first round.
  var previous: [Int: OperationResult] = [:]
  /// How many dependencies of each operation have not ended.
  @exclusivity(unchecked) var remaining: [Int32]
  var files = Files()
  /// Operations by lower-case name: names are unique regardless of case, and expressions ignore case.
  let positions: [String: Int]
  /// The number of operations that have not ended.
  @exclusivity(unchecked) var unfinished: Int

  var given: Given
  var status = ExpressionStatus()
  var times = Times()
  /// For each operation that follows one that prevents it from succeeding, directly or indirectly: the first such operation. Empty as long as nothing
  /// has failed, so that a successful run never examines more than direct dependents.
  private(set) var culpritsBehind: [Int: Int] = [:]
  var hostAttempt = 1

  /// The inputs of a run, and the masker for the secrets in them.
  struct Given {
    var parameters: [String: JSONValue]
    /// The directory of the workspace.
    var workspace: String
    var environment: [(name: String, value: String)] = []
    var secrets: [String: String] = [:]
    var masker = SecretMasker([])
    /// The event with which the controller started the run.
    var event = JSONValue.null
    /// The instant that the run stands for, if that is not its start.
    var instant: RecordTime?
  }

  /// The instant that the run stands for: `run.at`.
  var instant: RecordTime { given.instant ?? times.startedAt }

  /// What expressions read from files.
  struct Files {
    /// The readings of operations that are about to be evaluated, by instance.
    var readings: [Int: FileReadings] = [:]
    let gate = ReadingGate()
    /// Large results that have been written and are about to be recorded, by instance.
    var written: [Int: RecordedResult] = [:]
    /// Whether an expression may have to read a file or may take long: a result is in a file or large, or `hashFiles` is called.
    var areNeeded = false
    /// The instances whose results are large or in a file.
    private(set) var large: Set<Int> = []
    /// Whether any param is large.
    var hasLargeParameters = false

    /// Notes the result of an operation.
    mutating func note(_ result: OperationResult, of ordinal: Int) {
      switch result {
      case .none: return
      case .value(let value): guard value.isLarge else { return }
      case .file: break
      }
      large.insert(ordinal)
      areNeeded = true
    }
  }

  /// When the run started and ended.
  struct Times {
    var startedAt: RecordTime = .now
    /// The start by the monotonic clock; nil if a former host started the run.
    var started: Duration?
    /// Whether the run timed out before its operations had ended.
    var isTimedOut = false
    /// The outcome of the operations, and when they ended; nil until all have.
    var outcome: (end: RunEnd, at: RecordTime)?
  }

  init(
    id: RunID, pipeline: PipelineDefinition, parameters: [String: JSONValue], workspace: String,
    runnable: (OperationDefinition.Action) -> any RunnableAction
  ) {
    self.id = id
    self.pipeline = pipeline
    given = Given(parameters: parameters, workspace: workspace)
    plan = RunPlan(pipeline.operations)
    // Spelled as documented; with any other spelling, the files are read when the hash is evaluated.
    files.hasLargeParameters = parameters.values.contains(where: \.isLarge)
    files.areNeeded =
      files.hasLargeParameters
      || strstr(pipeline.source.text, "hashFiles") != nil
      || pipeline.included.values.contains { strstr($0, "hashFiles") != nil }
    remaining = plan.incoming
    unfinished = pipeline.operations.count
    instances.reserveCapacity(pipeline.operations.count + pipeline.handlers.count)
    var positions: [String: Int] = Dictionary(minimumCapacity: pipeline.operations.count)
    for place in pipeline.operations.indices {
      let node = OperationNode(pipeline.operations, at: place, runnable: runnable)
      positions[node.definition.name.lowercased()] = node.definition.index
      instances.append(OperationInstance(node: node, name: node.definition.name))
    }
    for handler in pipeline.handlers {
      let node = OperationNode([handler.operation], at: 0, event: handler.event, runnable: runnable)
      instances.append(OperationInstance(node: node, name: handler.operation.name))
    }
    self.positions = positions
  }

  /// Changes an instance in place.
  func modify(_ ordinal: Int, _ body: (inout OperationInstance) -> Void) {
    body(&instances[ordinal])
  }

  /// Returns the operation called `name`, ignoring case.
  func position(of name: String) -> Int? {
    positions[name] ?? positions[name.lowercased()]
  }

  /// Returns the decision about an operation whose dependencies have all ended, from the one table of outcomes, which is consulted for each
  /// dependency. Unless its `when` says otherwise, it does not run if something further upstream failed either, even if the operations between have
  /// run: this is `success()`.
  func decision(for ordinal: Int) -> InjectionDecisionKind {
    decision(for: ordinal, decidesItself: instances[ordinal].node.isAskedAnyway)
  }

  private func decision(for ordinal: Int, decidesItself: Bool) -> InjectionDecisionKind {
    // A definition is large, so it is accessed in place.
    let node = instances[ordinal].node
    var strongest = InjectionDecisionKind.run
    for dependency in node.definition.dependencies {
      strongest = max(strongest, decision(of: node, about: dependency, decidesItself: decidesItself))
    }
    guard !culpritsBehind.isEmpty, !decidesItself, strongest < .dependencyCancelled,
      let culprit = culpritsBehind[ordinal]
    else { return strongest }
    return instances[culprit].state == .failed ? .dependencyFailed : .dependencyCancelled
  }

  /// Returns the operations that cause another to end as it does: dependencies, or the first one further upstream.
  func culprits(of ordinal: Int, for decision: InjectionDecisionKind) -> [Int] {
    let node = instances[ordinal].node
    let near = node.definition.dependencies.filter {
      self.decision(of: node, about: $0, decidesItself: node.isAskedAnyway) == decision
    }
    return near.isEmpty ? culpritsBehind[ordinal].map { [$0] } ?? [] : near
  }

  /// Returns the decision about an operation as far as one dependency is concerned.
  private func decision(
    of node: OperationNode, about dependency: Int, decidesItself: Bool
  ) -> InjectionDecisionKind {
    let required = node.definition.requiredResults.contains(dependency)
    let request = InjectionRequest(
      needsResult: required, hasDefault: !required && node.defaults(instances[dependency].name),
      decidesItself: decidesItself)
    return InjectionTable.decide(instances[dependency].outcome, request)
  }

  /// Notes whether an ended operation prevents those downstream from succeeding: it failed and its failure is not allowed, or it could not run
  /// because a result is missing. A failure that is allowed affects only direct dependents.
  func noteEnd(of ordinal: Int) {
    guard ordinal < pipeline.operations.count else { return }
    switch instances[ordinal].status {
    case .failed where !instances[ordinal].node.definition.allowFailure: break
    case .cancelled(.dependencies(.withoutResult, _), _): break
    default: return
    }
    // Each operation is noted once, so that all failures of a run cost no more than one walk of its graph.
    var open = [ordinal]
    while let next = open.popLast() {
      for dependent in plan.dependents(of: next) where culpritsBehind[Int(dependent)] == nil {
        culpritsBehind[Int(dependent)] = ordinal
        open.append(Int(dependent))
      }
    }
  }

  /// Notes a failure that is not allowed: the run fails, unless it was cancelled.
  func noteFailure() {
    guard !status.isCancelled else { return }
    status = ExpressionStatus(hasFailure: true)
  }

  /// Returns the status that the status functions of an operation or one of its items evaluate.
  func status(for ordinal: Int) -> ExpressionStatus {
    // As in GitHub Actions, a run is either cancelled or has failures, not both.
    if status.isCancelled { return ExpressionStatus(isCancelled: true) }
    let operation = instances[ordinal].parent ?? ordinal
    let node = instances[operation].node
    let dependencies = node.definition.dependencies
    let cannotSucceed = times.isTimedOut || culpritsBehind[operation] != nil
    // A failure that is allowed counts for `failure()`, but does not hold back dependents.
    let hasFailure = cannotSucceed || dependencies.contains { instances[$0].state == .failed }
    // An operation that was left out on purpose holds nothing back: nothing that requires it would have begun.
    let isHeldBack =
      cannotSucceed
      || dependencies.contains { dependency in
        instances[dependency].reason != .notSelected
          && !decision(of: node, about: dependency, decidesItself: false).runs
      }
    return ExpressionStatus(hasFailure: hasFailure, isHeldBack: isHeldBack)
  }

  /// Adds an item of a loop and returns its ordinal.
  func addItem(of parent: Int, index: Int, value: JSONValue, label: String? = nil, recorded: String? = nil) -> Int {
    let node = instances[parent].node
    if value.isLarge { files.areNeeded = true }
    instances.append(
      OperationInstance(
        node: node, name: "\(node.definition.name)[\(index)]",
        loopItem: OperationInstance.LoopItem(
          parent: parent, index: index, value: value, label: label, recorded: recorded)))
    return instances.count - 1
  }
}

extension RunProgress {
  /// How many operations of the pipeline have ended in each state.
  var counts: RunCounts {
    var counts = RunCounts(operations: pipeline.operations.count)
    for ordinal in pipeline.operations.indices {
      switch instances[ordinal].state {
      case .succeeded: counts.succeeded += 1
      case .failed: counts.failed += 1
      case .skipped: counts.skipped += 1
      case .cancelled: counts.cancelled += 1
      case .reused: counts.reused += 1
      case .pending, .waiting, .running, .retrying: break
      }
    }
    return counts
  }

  /// Counts an operation that had ended before this host began.
  func countEnded(_ ordinal: Int) {
    unfinished -= 1
    for dependent in plan.dependents(of: ordinal) { remaining[Int(dependent)] -= 1 }
    noteEnd(of: ordinal)
    if instances[ordinal].state == .failed, !instances[ordinal].node.definition.allowFailure { noteFailure() }
  }

  /// Returns the wait that a former host began if it is of the kind that begins now, and removes it.
  func takeFormerWait(of ordinal: Int, for kind: RecordedWait.Kind) -> RecordedWait? {
    guard let wait = former[ordinal]?.wait, wait.kind == kind else { return nil }
    former[ordinal]?.wait = wait.withoutEnd
    return wait
  }
}

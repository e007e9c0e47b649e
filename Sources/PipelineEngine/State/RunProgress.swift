import Expressions
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Values

/// Everything that changes during a run: an operation is counted in `unfinished` until it has ended, and in `remaining` of each that depends on it. Owned by its
/// engine and touched only on the engine's executor.
final class RunProgress {
  let id: RunID
  let pipeline: PipelineDefinition
  let plan: RunPlan
  // Not checked at run time for two accesses at once, some forty times for each operation: all are on the loop, and none calls out meanwhile.
  /// The operations of the pipeline, then the handlers, then the items of loops as they come up.
  @exclusivity(unchecked) var instances: [OperationInstance] = []
  /// What former hosts have come to, by instance; empty unless the run was resumed.
  var former: [Int: FormerProgress] = [:]
  /// Why operations are executed of which the run that this one retries has a record, in words; empty unless it is a retry.
  var again: [Int: String] = [:]
  /// The results of the rounds before, of what is repeated and is not in its first round.
  var previous: [Int: OperationResult] = [:]
  /// How many dependencies of each operation have not ended.
  @exclusivity(unchecked) var remaining: [Int32]
  var files = Files()
  /// Operations by name; names are unique without regard to case, and expressions don't regard it.
  let positions: [String: Int]
  /// Operations that have not ended.
  @exclusivity(unchecked) var unfinished: Int

  var given: Given
  var status = ExpressionStatus()
  var times = Times()
  /// For each operation behind one that keeps it from succeeding, however far: the first such. Empty as long as nothing has gone wrong, so that a run
  /// in which all goes well never looks further than at direct dependencies.
  private(set) var culpritsBehind: [Int: Int] = [:]
  var hostAttempt = 1

  /// What a run is given from outside, and what masks the secrets in it.
  struct Given {
    var parameters: [String: JSONValue]
    /// The directory of the workspace.
    var workspace: String
    var environment: [(name: String, value: String)] = []
    var secrets: [String: String] = [:]
    var masker = SecretMasker([])
    /// What the controller told that started the run.
    var event = JSONValue.null
    /// The instant that the run stands for, where that is not its start.
    var instant: RecordTime?
  }

  /// The instant that the run stands for: `run.at`.
  var instant: RecordTime { given.instant ?? times.startedAt }

  /// What expressions find in files.
  struct Files {
    /// Those of operations that are about to be evaluated, by instance.
    var readings: [Int: FileReadings] = [:]
    let gate = ReadingGate()
    /// Large results that are written, and about to be recorded, by instance.
    var written: [Int: RecordedResult] = [:]
    /// Whether an expression may have to read a file, or may take long: a result is kept in one or is large, or `hashFiles` is called.
    var areNeeded = false
    /// Whose results are large, or in a file.
    private(set) var large: Set<Int> = []
    /// Whether a param is.
    var hasLargeParameters = false

    /// An operation has come to a result.
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
    /// The same by the monotonic clock; nil if a former host started the run.
    var started: Duration?
    /// Whether the time of the run was up before its operations had ended.
    var isTimedOut = false
    /// What the operations came to, and when; nil until all have ended.
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
    // As its documentation spells it; spelled otherwise, the files are read where their hash is asked for.
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

  /// The operation called `name`, whatever its case.
  func position(of name: String) -> Int? {
    positions[name] ?? positions[name.lowercased()]
  }

  /// What becomes of an operation whose dependencies have all ended: the one table of outcomes, asked for each of them. One that does not ask for it does
  /// not run either where something further up failed, though what is between the two may have run: that is `success()`.
  func decision(for ordinal: Int) -> InjectionDecisionKind {
    decision(for: ordinal, decidesItself: instances[ordinal].node.isAskedAnyway)
  }

  private func decision(for ordinal: Int, decidesItself: Bool) -> InjectionDecisionKind {
    // A definition is large: it is looked at where it is.
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

  /// The operations that make another end as it does: dependencies, or the first one further up.
  func culprits(of ordinal: Int, for decision: InjectionDecisionKind) -> [Int] {
    let node = instances[ordinal].node
    let near = node.definition.dependencies.filter {
      self.decision(of: node, about: $0, decidesItself: node.isAskedAnyway) == decision
    }
    return near.isEmpty ? culpritsBehind[ordinal].map { [$0] } ?? [] : near
  }

  /// What becomes of an operation, as far as one dependency goes.
  private func decision(
    of node: OperationNode, about dependency: Int, decidesItself: Bool
  ) -> InjectionDecisionKind {
    let required = node.definition.requiredResults.contains(dependency)
    let request = InjectionRequest(
      needsResult: required, hasDefault: !required && node.defaults(instances[dependency].name),
      decidesItself: decidesItself)
    return InjectionTable.decide(instances[dependency].outcome, request)
  }

  /// Notes of an operation that has ended whether those behind it cannot succeed any more: it failed without being allowed to, or could not
  /// run because a result is missing. A failure that is allowed is seen by direct dependents alone.
  func noteEnd(of ordinal: Int) {
    guard ordinal < pipeline.operations.count else { return }
    switch instances[ordinal].status {
    case .failed where !instances[ordinal].node.definition.allowFailure: break
    case .cancelled(.dependencies(.withoutResult, _), _): break
    default: return
    }
    // Each operation is noted once, so that all the failures of a run cost no more than one walk over its graph.
    var open = [ordinal]
    while let next = open.popLast() {
      for dependent in plan.dependents(of: next) where culpritsBehind[Int(dependent)] == nil {
        culpritsBehind[Int(dependent)] = ordinal
        open.append(Int(dependent))
      }
    }
  }

  /// Something failed that may not: the run will have failed, unless it was cancelled.
  func noteFailure() {
    guard !status.isCancelled else { return }
    status = ExpressionStatus(hasFailure: true)
  }

  /// What the status functions of an operation, or of one of its items, answer.
  func status(for ordinal: Int) -> ExpressionStatus {
    // As in GitHub Actions, a run is cancelled or has failures, not both.
    if status.isCancelled { return ExpressionStatus(isCancelled: true) }
    let operation = instances[ordinal].parent ?? ordinal
    let node = instances[operation].node
    let dependencies = node.definition.dependencies
    let cannotSucceed = times.isTimedOut || culpritsBehind[operation] != nil
    // A failure that is allowed is one to those who ask, and holds nobody back.
    let hasFailure = cannotSucceed || dependencies.contains { instances[$0].state == .failed }
    // What was left out on purpose holds nothing back: nothing that needs it would have begun.
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
  /// How many operations of the pipeline have ended how.
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

  /// Counts an operation that has ended before this host began.
  func countEnded(_ ordinal: Int) {
    unfinished -= 1
    for dependent in plan.dependents(of: ordinal) { remaining[Int(dependent)] -= 1 }
    noteEnd(of: ordinal)
    if instances[ordinal].state == .failed, !instances[ordinal].node.definition.allowFailure { noteFailure() }
  }

  /// The wait that a former host began, if it is of the kind that begins now; once.
  func takeFormerWait(of ordinal: Int, for kind: RecordedWait.Kind) -> RecordedWait? {
    guard let wait = former[ordinal]?.wait, wait.kind == kind else { return nil }
    former[ordinal]?.wait = wait.withoutEnd
    return wait
  }
}

import Expressions
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Values

/// One operation of the pipeline as the engine sees it: its definition, and what can be told of it before the run.
///
/// A class, because the definition is large and shared by every item of a loop.
final class OperationNode: Sendable {
  // A definition is large: it stays where the pipeline has it.
  private let definitions: [OperationDefinition]
  private let place: Int
  /// Whether the operation runs under `after`.
  let event: PipelineDefinition.Event?
  /// Whether it is asked its `when` whatever became of what it depends on. Handlers are.
  let isAskedAnyway: Bool
  /// Whether it is asked that in a cancelled run, too.
  let isAskedWhenCancelled: Bool
  /// Names, in lower case, of operations for whose missing result its expressions give a default.
  private let defaulted: Set<String>
  /// Whether `when` speaks of the loop's item, so that it is asked for each item.
  let conditionIsPerItem: Bool
  /// Whether nothing that its process is given depends on when it is computed, so that it can be made ready before its
  /// slot is free.
  let canPrepareEarly: Bool
  /// Whether its action does work that counts against `concurrency`.
  let needsSlot: Bool
  /// Whether its action is a run of its own.
  let isNestedPipeline: Bool
  /// Whether one attempt is all it can come to.
  let isTriedOnce: Bool
  /// What its only attempt does where that may begin without waiting for anything but a slot, and end while it begins; else nil.
  let atOnce: AtOnce?
  /// What its action runs as.
  let action: any RunnableAction
  /// The value that it is where nothing but computing it takes any time.
  let moment: ValueAction?
  /// Whether it has a gate, or waits for a specification.
  let hasFormula: Bool

  /// An action that may take no time. A class, because the enumeration of all actions is large to copy, and this is looked at for each operation.
  final class AtOnce: Sendable {
    enum Kind: Sendable {
      case value(ValueAction)
      case plugin(PluginUse)
    }

    let kind: Kind

    init?(_ action: OperationDefinition.Action) {
      switch action {
      case .value(let data): kind = .value(ValueAction(data: data))
      case .uses(let use): kind = .plugin(use)
      default: return nil
      }
    }
  }

  /// The node of the operation at `place` in `definitions`, which are not copied.
  init(_ definitions: [OperationDefinition], at place: Int, event: PipelineDefinition.Event? = nil) {
    self.definitions = definitions
    self.place = place
    self.event = event
    let definition = definitions[place]
    isAskedAnyway = event != nil || definition.isAskedAnyway
    isAskedWhenCancelled = event == nil && definition.condition?.asksForStatus ?? false
    defaulted = definition.resultsWithDefault
    if let loop = definition.loop, let condition = definition.condition {
      let item = loop.itemName.lowercased()
      conditionIsPerItem = condition.references.contains { $0.context.lowercased() == item }
    } else {
      conditionIsPerItem = false
    }
    canPrepareEarly = event == nil && definition.isConstant
    let kind = definition.action.runnable
    action = kind
    needsSlot = kind.isWork
    isNestedPipeline = kind is NestedPipelineAction
    isTriedOnce = definition.retry.limit == 0 && definition.repetition == nil
    if isTriedOnce, definition.timeout == nil, definition.resources.isEmpty, case .value(let data) = definition.action {
      moment = ValueAction(data: data)
    } else {
      moment = nil
    }
    atOnce = event == nil && isTriedOnce && definition.isUnshaped ? AtOnce(definition.action) : nil
    hasFormula = definition.gate != nil || kind.specification != nil
  }

  /// What the file says of it.
  var definition: OperationDefinition {
    _read { yield definitions[place] }
  }

  /// Whether its expressions give a default for a missing result of the operation called `name`.
  func defaults(_ name: String) -> Bool { !defaulted.isEmpty && defaulted.contains(name.lowercased()) }

  /// Whether an attempt starts without waiting for anything but a slot.
  var isPlain: Bool {
    definition.loop == nil && definition.gate == nil && definition.exclusive == nil && definition.resources.isEmpty
  }
}

/// One thing with a state of its own in a run: an operation, a handler, or one item of a loop.
struct OperationInstance {
  let node: OperationNode
  /// The name that is shown: `archive`, or `archive[3]` for an item.
  let name: String
  /// The loop that the item belongs to, and its place in it.
  var parent: Int?
  var itemIndex: Int?
  var item: JSONValue?

  var state: RunHistory.OperationState = .pending
  /// Why it is in its state.
  var reason: OperationReason?
  var failure: OperationFailure?
  var result: OperationResult = .none
  /// The number of the latest attempt, over all hosts of the run.
  var attempts = 0
  var waitingSince: RecordTime?
  var startedAt: RecordTime?
  var endedAt: RecordTime?
  var fingerprint: String?
  var reusedFrom: RunID?
  var attempt: AttemptRecord?
  var timing = InstanceTiming()
  /// What opened its gate, and since when it had waited for that.
  var opened: OpenedGate?
  var recordedResult: RecordedResult = .none
  /// Whether the slot for the first attempt is already taken.
  var hasSlot = false
  /// Whether it is being made ready ahead of its slot.
  var isEarly = false
  /// Whether its attempt's slot was given back when its process ended.
  var hasReleased = false
  /// Whether the history may name the log files of the attempt that goes on.
  var areLogsNamed = false
  /// Whether it was handed to a task of its own, which will end it.
  var hasBegun = false

  init(node: OperationNode, name: String, parent: Int? = nil, itemIndex: Int? = nil, item: JSONValue? = nil) {
    self.node = node
    self.name = name
    self.parent = parent
    self.itemIndex = itemIndex
    self.item = item
  }

  /// What dependents see.
  var outcome: DependencyOutcomeKind {
    switch state {
    case .succeeded, .reused: result.isPresent ? .succeeded : .succeededWithoutResult
    case .failed: node.definition.allowFailure ? .failedAllowed : .failed
    case .skipped: .skipped
    case .cancelled, .pending, .waiting, .running, .retrying: .cancelled
    }
  }
}

/// Everything that changes during a run. Owned by its engine and touched only on the engine's executor.
final class RunProgress {
  let id: RunID
  let pipeline: PipelineDefinition
  let plan: RunPlan
  // Not checked at run time for two accesses at once, some forty times for each operation: all are on the loop, and none calls out meanwhile.
  /// The operations of the pipeline, then the handlers, then the items of loops as they come up.
  @exclusivity(unchecked) var instances: [OperationInstance] = []
  /// What former hosts have come to, by instance; empty unless the run was resumed.
  var former: [Int: FormerProgress] = [:]
  /// How many dependencies of each operation have not ended.
  @exclusivity(unchecked) var remaining: [Int32]
  /// What the expressions of operations that are about to be evaluated find in files, by instance.
  var readings: [Int: FileReadings] = [:]
  /// Whether an expression may have to read a file: a result is kept in one, or `hashFiles` is called.
  var readsFiles: Bool
  /// Operations by name; names are unique without regard to case, and expressions don't regard it.
  let positions: [String: Int]
  /// Operations that have not ended.
  @exclusivity(unchecked) var unfinished: Int

  var parameters: [String: JSONValue]
  var environment: [(name: String, value: String)] = []
  var secrets: [String: String] = [:]
  var masker = SecretMasker([])
  var status = ExpressionStatus()
  /// Whether the time of the run was up before its operations had ended.
  var isTimedOut = false
  /// For each operation behind one that keeps it from succeeding, however far: the first such. Empty as long as nothing has gone wrong, so that a run
  /// in which all goes well never looks further than at direct dependencies.
  private(set) var culpritsBehind: [Int: Int] = [:]
  var startedAt: RecordTime = .now
  /// The same by the monotonic clock; nil if a former host started the run.
  var started: Duration?
  /// What the operations came to, and when; nil until all have ended.
  var outcome: (state: RunState, reason: String?, at: RecordTime)?
  var workspace: String
  var hostAttempt = 1
  /// What the controller told that started the run.
  var event = JSONValue.null

  init(id: RunID, pipeline: PipelineDefinition, parameters: [String: JSONValue], workspace: String) {
    self.id = id
    self.pipeline = pipeline
    self.parameters = parameters
    self.workspace = workspace
    plan = RunPlan(pipeline.operations)
    // As its documentation spells it; spelled otherwise, the files are read where their hash is asked for.
    readsFiles = strstr(pipeline.source.text, "hashFiles") != nil
    remaining = plan.incoming
    unfinished = pipeline.operations.count
    instances.reserveCapacity(pipeline.operations.count + pipeline.handlers.count)
    var positions: [String: Int] = Dictionary(minimumCapacity: pipeline.operations.count)
    for place in pipeline.operations.indices {
      let node = OperationNode(pipeline.operations, at: place)
      positions[node.definition.name.lowercased()] = node.definition.index
      instances.append(OperationInstance(node: node, name: node.definition.name))
    }
    for handler in pipeline.handlers {
      let node = OperationNode([handler.operation], at: 0, event: handler.event)
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
    switch instances[ordinal].state {
    case .failed where !instances[ordinal].node.definition.allowFailure: break
    case .cancelled:
      guard case .dependencies(.withoutResult, _)? = instances[ordinal].reason else { return }
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

  /// What the status functions of an operation, or of one of its items, answer.
  func status(for ordinal: Int) -> ExpressionStatus {
    // As in GitHub Actions, a run is cancelled or has failures, not both.
    if status.isCancelled { return ExpressionStatus(isCancelled: true) }
    let operation = instances[ordinal].parent ?? ordinal
    let node = instances[operation].node
    let dependencies = node.definition.dependencies
    let cannotSucceed = isTimedOut || culpritsBehind[operation] != nil
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
  func addItem(of parent: Int, index: Int, value: JSONValue) -> Int {
    let node = instances[parent].node
    instances.append(
      OperationInstance(
        node: node, name: "\(node.definition.name)[\(index)]", parent: parent, itemIndex: index, item: value))
    return instances.count - 1
  }
}

extension OperationDefinition {
  /// Whether the operation is a process all of whose inputs are written in the file.
  fileprivate var isConstant: Bool {
    let kind = action.kind
    guard kind.secretReach == .environment, kind.isLiteral else { return false }
    guard case .none = injection, condition == nil, gate == nil, loop == nil, !mayBeReused, !receivesSecret else {
      return false
    }
    return environment.allSatisfy(\.value.isLiteral) && stdin?.isLiteral ?? true && directory?.isLiteral ?? true
  }

  /// Whether nothing but its action decides how long it takes.
  fileprivate var isUnshaped: Bool {
    condition == nil && gate == nil && loop == nil && exclusive == nil && timeout == nil && resources.isEmpty
      && !mayBeReused
  }
}

import Expressions
import Operations
import PipelineLanguage

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
  /// The files of other operations that it cannot do without.
  let requiredArtifacts: [OperationDefinition.ArtifactRequirement]
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
  /// Whether its only attempt may begin without waiting for anything but a slot, and end while it begins.
  let mayEndAtOnce: Bool
  /// What its action runs as.
  let action: any RunnableAction
  /// Whether nothing but computing it takes any time.
  let isMoment: Bool
  /// Whether it has a gate, or waits for a specification.
  let hasFormula: Bool

  /// The node of the operation at `place` in `definitions`, which are not copied.
  init(
    _ definitions: [OperationDefinition], at place: Int, event: PipelineDefinition.Event? = nil,
    runnable: (OperationDefinition.Action) -> any RunnableAction
  ) {
    self.definitions = definitions
    self.place = place
    self.event = event
    let definition = definitions[place]
    isAskedAnyway = event != nil || definition.isAskedAnyway
    isAskedWhenCancelled = event == nil && definition.condition?.asksForStatus ?? false
    defaulted = definition.resultsWithDefault
    requiredArtifacts = event == nil ? definition.requiredArtifacts : []
    if let loop = definition.loop, let condition = definition.condition {
      let item = loop.itemName.lowercased()
      conditionIsPerItem = condition.references.contains { $0.context.lowercased() == item }
    } else {
      conditionIsPerItem = false
    }
    canPrepareEarly = event == nil && definition.isConstant
    let kind = runnable(definition.action)
    action = kind
    needsSlot = kind.isWork
    isNestedPipeline = kind.nestedPath != nil
    isTriedOnce = definition.retry.limit == 0 && definition.repetition == nil
    let pace = kind.pace
    isMoment = pace == .moment && isTriedOnce && definition.timeout == nil && definition.resources.isEmpty
    mayEndAtOnce = pace != .lasts && event == nil && isTriedOnce && definition.isUnshaped
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

import Expressions
import Operations
import PipelineLanguage

/// One operation of the pipeline as the engine sees it: its definition, and what is known about it before the run.
///
/// A class, because the definition is large and shared by every item of a loop.
final class OperationNode: Sendable {
  // A definition is large, so it is accessed in the pipeline's array rather than copied.
  private let definitions: [OperationDefinition]
  private let place: Int
  /// The event under `after` for which a handler runs; nil for an operation.
  let event: PipelineDefinition.Event?
  /// Whether its `when` is evaluated however its dependencies ended. This is the case for handlers.
  let isAskedAnyway: Bool
  /// Whether its `when` is also evaluated in a cancelled run.
  let isAskedWhenCancelled: Bool
  /// The lower-case names of operations for whose missing result its expressions provide a default.
  private let defaulted: Set<String>
  /// The artifacts of other operations that it requires.
  let requiredArtifacts: [OperationDefinition.ArtifactRequirement]
  /// Whether `when` refers to the loop's item, so that it is evaluated for each item.
  let conditionIsPerItem: Bool
  /// Whether its process's inputs do not depend on when they are computed, so that it can be prepared before it has a slot.
  let canPrepareEarly: Bool
  /// Whether its action does work that counts against `concurrency`.
  let needsSlot: Bool
  /// Whether its action is a nested run.
  let isNestedPipeline: Bool
  /// Whether it makes at most one attempt.
  let isTriedOnce: Bool
  /// Whether its only attempt may begin without waiting for anything but a slot, and end immediately.
  let mayEndAtOnce: Bool
  /// The action in runnable form.
  let action: any RunnableAction
  /// Whether it takes no time except to compute its value.
  let isMoment: Bool
  /// Whether it has a gate or waits for a specification.
  let hasFormula: Bool

  /// Creates the node of the operation at `place` in `definitions`, which are not copied.
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

  /// The definition of the operation.
  var definition: OperationDefinition {
    _read { yield definitions[place] }
  }

  /// Whether its expressions provide a default for a missing result of the operation called `name`.
  func defaults(_ name: String) -> Bool { !defaulted.isEmpty && defaulted.contains(name.lowercased()) }

  /// Whether an attempt starts without waiting for anything but a slot.
  var isPlain: Bool {
    definition.loop == nil && definition.gate == nil && definition.exclusive == nil && definition.resources.isEmpty
  }
}

extension OperationDefinition {
  /// Whether the operation is a process all of whose inputs are literals in the file.
  fileprivate var isConstant: Bool {
    let kind = action.kind
    guard kind.secretReach == .environment, kind.isLiteral else { return false }
    guard case .none = injection, condition == nil, gate == nil, loop == nil, !mayBeReused, !receivesSecret else {
      return false
    }
    return environment.allSatisfy(\.value.isLiteral) && stdin?.isLiteral ?? true && directory?.isLiteral ?? true
  }

  /// Whether only its action determines how long it takes.
  fileprivate var isUnshaped: Bool {
    condition == nil && gate == nil && loop == nil && exclusive == nil && timeout == nil && resources.isEmpty
      && !mayBeReused
  }
}

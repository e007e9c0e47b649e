import Expressions
import PipelineLanguage
import RunHistory
import Values

/// Which operations a retry executes although they succeeded in the retried run, decided before anything runs by what has changed since.
///
/// An operation runs again if its definition or its inputs have changed, and so does everything that depends on it. Whether a dependent of an
/// operation that had not succeeded runs again is decided when that operation has ended.
package struct RetryPlan: Sendable {
  /// Why an operation runs again.
  package enum Cause: Sendable, Hashable {
    /// The definition has changed.
    case change(DefinitionComparison.Change)
    /// Params that it refers to have other values.
    case parameters([String])
    /// It depends on this operation, which runs again or is new.
    case dependency(String)
    /// Its `when` depends on the outcome of this operation.
    case outcome(String)
  }

  /// Operations that had succeeded and run again, by position.
  package private(set) var again: [Int: Cause] = [:]
  /// Operations that had succeeded and are reused if their dependencies (the positions) end as they did then.
  package private(set) var conditional: [Int: [Int]] = [:]
  /// Why operations run again, whether they had succeeded or not.
  private var causes: [Int: Cause] = [:]
  /// The dependents of operations that run again.
  private var dependents: Set<Int> = []
  /// Loops of which only the list of items has changed.
  private var loopsWithOtherItems: Set<Int> = []

  /// Decides what a run with these options reuses from `source`. Returns nil if that does not depend on what has changed: if it runs a part of a
  /// pipeline, or all of it.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline to run.
  ///   - options: The options of the run.
  ///   - source: The records of the earlier run; nil if there is none.
  ///   - mask: Masks secrets, as in recorded params.
  package init?(
    of pipeline: PipelineDefinition, options: RunOptions, from source: RecordedRun?,
    masking mask: (String) -> String = { $0 }
  ) {
    guard let source, !options.leavesOut, !options.isForced else { return nil }
    let recorded = source.operations.lazy.filter { $0.parent == nil }.map { ($0.name, $0) }
    let known = Dictionary(recorded) { first, _ in first }
    let plan = RunPlan(pipeline.operations)
    let changes = Changes(of: pipeline, options: options, from: source, masking: mask)
    let chosen = options.selection.positions(in: pipeline) ?? []
    func isDone(_ position: Int) -> Bool { known[pipeline.operations[position].name]?.isDone ?? false }
    var roots: [Int] = []
    for position in pipeline.operations.indices {
      guard known[pipeline.operations[position].name] != nil else {
        roots.append(position)
        continue
      }
      guard let found = changes.cause(at: position) else { continue }
      roots.append(position)
      causes[position] = found.cause
      if found.isOfItems { loopsWithOtherItems.insert(position) }
    }
    for root in roots { spread(from: root, in: pipeline, plan) }
    // A clean-up also runs after the second attempt at what it cleans up.
    var seen: Set<Int> = []
    for position in pipeline.operations.indices where !isDone(position) {
      let state = known[pipeline.operations[position].name]?.state
      guard state == .failed || state == .cancelled else { continue }
      var found: [Int] = []
      for first in plan.dependents(of: position) {
        plan.visit(downstreamOf: Int(first), notIn: &seen) { found.append($0) }
      }
      for next in found.sorted()
      where causes[next] == nil && pipeline.operations[next].isAskedAnyway {
        causes[next] = .outcome(pipeline.operations[position].name)
        spread(from: next, in: pipeline, plan)
      }
    }
    // What the user has chosen needs no other cause.
    again = causes.filter { isDone($0.key) && !chosen.contains($0.key) }
    var unsure: Set<Int> = []
    for position in pipeline.operations.indices where !isDone(position) {
      plan.visit(downstreamOf: position, notIn: &unsure) { _ in }
    }
    for next in unsure where isDone(next) && causes[next] == nil && !chosen.contains(next) {
      conditional[next] = pipeline.operations[next].dependencies
    }
  }

  /// Whether the operation at `position` is executed regardless of its earlier outcome.
  func runs(_ position: Int) -> Bool { causes[position] != nil }

  /// Returns why the operation at `position` runs again, whether it had succeeded or not, or nil if nothing has changed for it.
  package func cause(at position: Int) -> Cause? { causes[position] }

  /// Whether the successful parts of the operation at `position` are reused: items of a loop, or operations of a nested run.
  package func takesOverParts(of position: Int) -> Bool {
    causes[position] == nil || loopsWithOtherItems.contains(position) && !dependents.contains(position)
  }

  /// Marks everything that depends on the operation at `root` to run again.
  private mutating func spread(from root: Int, in pipeline: PipelineDefinition, _ plan: RunPlan) {
    var visited: Set<Int> = []
    // Swapped, not copied: there may be as many roots as operations.
    swap(&visited, &dependents)
    for first in plan.dependents(of: root) {
      plan.visit(downstreamOf: Int(first), notIn: &visited) { next in
        if causes[next] == nil { causes[next] = .dependency(pipeline.operations[root].name) }
      }
    }
    swap(&visited, &dependents)
  }
}

extension RetryPlan.Cause {
  /// Whether the cause is that another operation runs again.
  package var follows: Bool {
    switch self {
    case .change, .parameters: false
    case .dependency, .outcome: true
    }
  }

  /// Returns the cause in words, to follow "runs again:", or "run again:" for several operations.
  package func text(ofSeveral: Bool = false) -> String {
    let (their, verb) = ofSeveral ? ("their", "have") : ("its", "has")
    switch self {
    case .change(.definition): return "\(their) definition\(ofSeveral ? "s" : "") \(verb) changed"
    case .change(.items): return "the list of \(their) items has changed; unchanged items are reused"
    case .change(.pipeline(let path)): return "the pipeline '\(path)' has changed"
    case .change(.pipelineSettings(let path)):
      return "a file of params or variables of the pipeline '\(path)' has changed"
    case .change(.fileVariables(let names, let file)):
      return
        "\(Self.list(names, "variable")) of \(file.map { "'\($0)'" } ?? "files under 'env_file'") \(Self.have(names)) changed"
    case .change(.environment(let names)):
      return "\(Self.list(names, "variable")) under 'env' \(Self.have(names)) changed"
    case .change(.secrets(let names)):
      return "\(Self.list(names, "secret")) \(names.count == 1 ? "comes" : "come") from a different source"
    case .parameters(let names): return "\(Self.list(names, "param")) \(Self.have(names)) changed"
    case .dependency(let name): return "\(ofSeveral ? "they depend" : "it depends") on '\(name)'"
    case .outcome(let name): return "\(ofSeveral ? "they depend" : "it depends") on the outcome of '\(name)'"
    }
  }

  private static func list(_ names: [String], _ noun: String) -> String {
    "the \(noun)\(names.count == 1 ? "" : "s") " + names.map { "'\($0)'" }.joined(separator: ", ")
  }

  private static func have(_ names: [String]) -> String { names.count == 1 ? "has" : "have" }
}

/// What has changed for each operation since a run.
private struct Changes {
  private let pipeline: PipelineDefinition
  private let comparison: DefinitionComparison?
  /// The params whose values have changed.
  private let parameters: [String]

  init(
    of pipeline: PipelineDefinition, options: RunOptions, from source: RecordedRun, masking mask: (String) -> String
  ) {
    self.pipeline = pipeline
    comparison = DefinitionComparison(
      of: pipeline, with: source.definition, path: source.run.path ?? pipeline.source.path,
      nested: source.nestedDefinitions)
    let former = (try? JSONValue.parse(source.run.params))?.objectValue ?? [:]
    parameters = pipeline.parameters.map(\.name).filter { name in
      guard let before = former[name] else { return false }
      let now = options.parameters[name] ?? .null
      return before.text != now.text && before != (try? JSONValue.parse(mask(now.text)))
    }
  }

  /// Returns what has changed for the operation at `position`, and whether only the items of its loop have.
  func cause(at position: Int) -> (cause: RetryPlan.Cause, isOfItems: Bool)? {
    let operation = pipeline.operations[position]
    var changes: [DefinitionComparison.Change] = []
    if let comparison { changes = comparison.changes(at: position) ?? [.definition] }
    if let change = changes.first(where: { $0 != .items }) { return (.change(change), false) }
    let (own, ofItems) = changedParameters(of: operation)
    if !own.isEmpty { return (.parameters(own), false) }
    if changes.contains(.items) { return (.change(.items), true) }
    return ofItems.isEmpty ? nil : (.parameters(ofItems), true)
  }

  /// Returns the changed params that affect an operation, and those that affect only its items.
  private func changedParameters(of operation: OperationDefinition) -> (own: [String], ofItems: [String]) {
    guard !parameters.isEmpty else { return ([], []) }
    let variables = Set(operation.variables(among: pipeline.environment.map(\.name)))
    var own = pipeline.environment.filter { variables.contains($0.name) }.flatMap(\.value.references)
    var ofItems: [ExpressionReference] = []
    for input in operation.inputs {
      switch input.arrival {
      case .items: ofItems += input.references
      case .label, .exclusive: break
      default: own += input.references
      }
    }
    func named(in references: [ExpressionReference]) -> [String] {
      parameters.filter { name in references.contains { $0.names("params", name) } }
    }
    return (named(in: own), named(in: ofItems))
  }
}

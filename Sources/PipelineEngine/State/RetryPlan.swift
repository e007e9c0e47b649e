import Expressions
import PipelineLanguage
import RunHistory
import Values

/// What a retry executes although it has succeeded in the run that is retried: decided by what has changed since, before anything runs.
///
/// An operation runs again when what the file says of it, or what reaches it, is not what it was, and so does all that depends on it. What depends on an operation
/// that had not succeeded is decided when that one has ended.
package struct RetryPlan: Sendable {
  /// Why an operation runs again.
  package enum Cause: Sendable, Hashable {
    /// The file says something else.
    case change(DefinitionComparison.Change)
    /// Params that it names have other values.
    case parameters([String])
    /// It depends on that one, which runs again or is new.
    case dependency(String)
    /// Its `when` looks at what becomes of that one.
    case outcome(String)
  }

  /// Operations that had succeeded and run again, by their places.
  package private(set) var again: [Int: Cause] = [:]
  /// Operations that had succeeded and are taken over if what they depend on, by its places, ends as it did then.
  package private(set) var conditional: [Int: [Int]] = [:]
  /// Why operations run again, whether they had succeeded or not.
  private var causes: [Int: Cause] = [:]
  /// What depends on operations that run again.
  private var dependents: Set<Int> = []
  /// Loops whose lists of items have changed, and nothing else of them.
  private var loopsWithOtherItems: Set<Int> = []

  /// Decides what a run with these options takes over from `source`. Nil where that does not depend on what has changed: where it runs a part of a pipeline, or all of it.
  ///
  /// - Parameters:
  ///   - pipeline: What is run.
  ///   - options: How.
  ///   - source: What is recorded of the former run; nil where there is none.
  ///   - mask: Replaces secrets, as in recorded params.
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
    // A clean-up comes after the second attempt at what it cleans up, too.
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

  /// Whether the operation at `position` is executed, whatever came of it then.
  func runs(_ position: Int) -> Bool { causes[position] != nil }

  /// Why the operation at `position` runs again, whether it had succeeded or not; nil where nothing has changed for it.
  package func cause(at position: Int) -> Cause? { causes[position] }

  /// Whether the parts of the operation at `position` that succeeded are taken over: items of a loop, or what a nested run has done.
  package func takesOverParts(of position: Int) -> Bool {
    causes[position] == nil || loopsWithOtherItems.contains(position) && !dependents.contains(position)
  }

  /// All that depends on the operation at `root` runs again.
  private mutating func spread(from root: Int, in pipeline: PipelineDefinition, _ plan: RunPlan) {
    var visited: Set<Int> = []
    // Not copied: there may be as many roots as operations.
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
  /// Whether it is that something else runs again.
  package var follows: Bool {
    switch self {
    case .change, .parameters: false
    case .dependency, .outcome: true
    }
  }

  /// The cause in words: what stands behind "runs again:", or "run again:" for several.
  package func text(ofSeveral: Bool = false) -> String {
    let (their, verb) = ofSeveral ? ("their", "have") : ("its", "has")
    switch self {
    case .change(.definition): return "\(their) definition\(ofSeveral ? "s" : "") \(verb) changed"
    case .change(.items): return "the list of \(their) items has changed; items that are the same are taken over"
    case .change(.pipeline(let path)): return "the pipeline '\(path)' has changed"
    case .change(.pipelineSettings(let path)):
      return "a file of params or variables of the pipeline '\(path)' has changed"
    case .change(.fileVariables(let names, let file)):
      return
        "\(Self.list(names, "variable")) of \(file.map { "'\($0)'" } ?? "files under 'env_file'") \(Self.have(names)) changed"
    case .change(.environment(let names)):
      return "\(Self.list(names, "variable")) under 'env' \(Self.have(names)) changed"
    case .change(.secrets(let names)):
      return "\(Self.list(names, "secret")) \(names.count == 1 ? "comes" : "come") from elsewhere"
    case .parameters(let names): return "\(Self.list(names, "param")) \(Self.have(names)) changed"
    case .dependency(let name): return "\(ofSeveral ? "they depend" : "it depends") on '\(name)'"
    case .outcome(let name): return "\(ofSeveral ? "they look" : "it looks") at what becomes of '\(name)'"
    }
  }

  private static func list(_ names: [String], _ noun: String) -> String {
    "the \(noun)\(names.count == 1 ? "" : "s") " + names.map { "'\($0)'" }.joined(separator: ", ")
  }

  private static func have(_ names: [String]) -> String { names.count == 1 ? "has" : "have" }
}

/// What is different for each operation since a run.
private struct Changes {
  private let pipeline: PipelineDefinition
  private let comparison: DefinitionComparison?
  /// The params whose values are others.
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

  /// What is different for the operation at `position`, and whether that is nothing but the items of its loop.
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

  /// The params with other values that reach an operation, and those that only its items are made of.
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

import Expressions
import PipelineLanguage
import RunHistory

extension RunOptions {
  /// Whether operations that are neither chosen nor reused are left out. A retry executes them, because they have not succeeded yet, unless
  /// operations are to run alone.
  package var leavesOut: Bool { trigger == .retry ? selection.isAlone : selection != .all }
}

extension RunOptions.Selection {
  /// Returns the positions of the operations to execute, or nil for all.
  package func positions(in pipeline: PipelineDefinition) -> Set<Int>? {
    guard case .operations(let from, let only) = self else { return nil }
    func index(of name: String) -> Int? { pipeline.operations.firstIndex { OperationName.areSame($0.name, name) } }
    let plan = RunPlan(pipeline.operations)
    return from.compactMap(index).reduce(into: Set(only.compactMap(index))) { $0.formUnion(plan.downstream(of: $1)) }
  }
}

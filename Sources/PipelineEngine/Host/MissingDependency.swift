import Expressions
import Operations
import PipelineLanguage
import RunHistory

/// A partial run cannot begin: an operation that is to be executed needs one that is not, and there is no run whose result it could reuse.
public struct MissingDependency: Error, Sendable, Hashable {
  /// The operation that is to be executed.
  public let operation: String
  /// The operation that it needs.
  public let dependency: String
  /// The run that was searched; nil if there was none.
  public let source: RunID?
  /// Whether that run is to be retried, rather than just the latest run.
  let isRetry: Bool

  /// Returns the first operation that could not be executed, or nil if the run can begin. `former` contains the operations whose results the run may reuse.
  package static func find(
    in pipeline: PipelineDefinition, options: RunOptions, former: [OperationRecord]
  ) -> MissingDependency? {
    guard options.leavesOut, let selected = options.selection.positions(in: pipeline) else { return nil }
    let there = Set(former.filter { $0.parent == nil && $0.isDone }.map(\.name))
    for position in selected.sorted() {
      let node = OperationNode(pipeline.operations, at: position) { $0.runnable }
      for dependency in node.definition.dependencies where !selected.contains(dependency) {
        let name = pipeline.operations[dependency].name
        guard !there.contains(name) else { continue }
        let needsResult = node.definition.requiredResults.contains(dependency)
        let request = InjectionRequest(
          needsResult: needsResult, hasDefault: !needsResult && node.defaults(name), decidesItself: node.isAskedAnyway)
        // An operation that is left out counts as skipped.
        guard InjectionTable.decide(.skipped, request).runs else {
          return MissingDependency(
            operation: node.definition.name, dependency: name, source: options.source,
            isRetry: options.trigger == .retry)
        }
      }
    }
    return nil
  }
}

extension MissingDependency: CustomStringConvertible {
  /// What is missing, and what to do next.
  public var description: String {
    let latest = isRetry ? "the retried run" : "the latest run of this pipeline"
    let known = source.map { "\(latest) (\($0.text)) has" } ?? "no run of this pipeline has"
    let what = source == nil ? "a result of it" : "no result of it"
    return "'\(operation)' needs '\(dependency)', but \(known) \(what); run it with --from \(dependency)"
  }
}

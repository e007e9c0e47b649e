import Expressions
import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// The input of a run: a checked pipeline, and options that fit it.
package struct RunStart: Sendable {
  package let pipeline: PipelineDefinition
  package private(set) var options: RunOptions

  private init(_ pipeline: PipelineDefinition, version: String) {
    self.pipeline = pipeline
    options = RunOptions()
    options.version = version
  }

  /// Creates a requested run.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline to run.
  ///   - given: Params, as texts.
  ///   - values: Params from files; `given` takes precedence.
  ///   - labels: Labels added to those of the pipeline; they take precedence.
  ///   - instant: The instant that the run stands for. Default: its start.
  ///   - selection: The operations to execute. Default: all.
  ///   - isForced: Whether to execute them even if an earlier success could be reused.
  ///   - version: The version of the program, which is recorded.
  /// - Throws: `ParameterProblems`, or ``RunStartError/unknownOperation(_:pipeline:near:)``.
  package init(
    of pipeline: PipelineDefinition, given: [(name: String, text: String)], values: [String: JSONValue] = [:],
    labels: [String: String] = [:], at instant: RecordTime? = nil,
    selection: RunOptions.Selection = .all, isForced: Bool = false, version: String
  ) throws {
    self.init(pipeline, version: version)
    options.isForced = isForced
    options.instant = instant
    options.labels = pipeline.labels.merging(labels) { $1 }
    options.parameters = try ParameterResolver.resolve(pipeline, given: given, values: values).get()
    try select(selection)
  }

  /// Creates a run that repeats `former`: with its labels, the params that the pipeline still has, its instant, and those of its successes that are still
  /// valid.
  ///
  /// - Parameters:
  ///   - former: A run that has ended.
  ///   - pipeline: The definition to run it with.
  ///   - given: Params, as texts, whose values differ from those of the former run.
  ///   - values: Params from files; `given` takes precedence.
  ///   - labels: Labels added to those of the former run; they take precedence.
  ///   - selection: The operations to execute regardless of their former outcome. Default: none.
  ///   - isForced: Whether to execute all operations.
  ///   - version: The version of the program, which is recorded.
  /// - Throws: `ParameterProblems`, or ``RunStartError/unknownOperation(_:pipeline:near:)``.
  package init(
    repeating former: RunRecord, with pipeline: PipelineDefinition, given: [(name: String, text: String)] = [],
    values: [String: JSONValue] = [:], labels: [String: String] = [:], selection: RunOptions.Selection = .all,
    isForced: Bool = false, version: String
  ) throws {
    self.init(pipeline, version: version)
    options.trigger = .retry
    options.source = former.id
    options.instant = former.instant ?? former.startedAt
    options.labels = former.labels.merging(labels) { $1 }
    options.parameters = try RunParameters.resolve(recorded: former.params, given: given, values: values, for: pipeline)
    options.isForced = isForced
    try select(selection)
  }

  private mutating func select(_ selection: RunOptions.Selection) throws(RunStartError) {
    if case .operations(let from, let only) = selection {
      let names = pipeline.operations.map(\.name)
      for name in from + only where OperationName.find(name, among: names) == nil {
        throw .unknownOperation(
          name, pipeline: pipeline.name, near: NearestName.suggestion(for: name, among: names))
      }
    }
    options.selection = selection
  }

  /// If only a part of the pipeline is run, reuses the rest from the pipeline's latest ended run, if any.
  package mutating func takeRest(from history: History?) throws {
    guard options.selection != .all else { return }
    let ended: Set<RunState> = [.succeeded, .failed, .cancelled, .interrupted]
    options.source = try history?.runs(RunFilter(pipeline: pipeline.name, states: ended, limit: 1)).first?.id
  }

  /// Returns a copy that stands for an instant.
  func standing(for instant: RecordTime) -> RunStart {
    var start = self
    start.options.instant = instant
    return start
  }

  /// Attributes the run to a controller instead of the requester, with the controller's event and the instant at which it was due.
  mutating func attribute(to controller: String, event: JSONValue, at instant: RecordTime?) {
    options.trigger = .controller
    options.controller = controller
    options.event = event
    options.instant = instant
  }
}

extension RunStart {
  /// The positions of the operations to execute; nil for all.
  package var selected: Set<Int>? { options.selection.positions(in: pipeline) }

  /// Whether operations that are neither executed nor reused are left out.
  package var leavesOut: Bool { options.leavesOut }

  /// Checks that the operations to execute have what they depend on, as the host does when the run begins.
  ///
  /// - Throws: `MissingDependency`, or `WorkspaceError`.
  package func check(in history: History?) throws {
    let former = try options.source.flatMap { try history?.operations(of: $0) } ?? []
    if let missing = MissingDependency.find(in: pipeline, options: options, former: former) { throw missing }
  }
}

import Expressions
import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// What a run is begun with: a checked pipeline, and options that fit it.
package struct RunStart: Sendable {
  package let pipeline: PipelineDefinition
  package private(set) var options: RunOptions

  private init(_ pipeline: PipelineDefinition, version: String) {
    self.pipeline = pipeline
    options = RunOptions()
    options.version = version
  }

  /// A run that somebody asks for.
  ///
  /// - Parameters:
  ///   - pipeline: What to run.
  ///   - given: The params that were given, as texts.
  ///   - values: Those that files give, which `given` takes precedence over.
  ///   - labels: Labels beside those of the pipeline, or in their place.
  ///   - instant: The instant that the run stands for. Default its start.
  ///   - selection: Which operations are executed. Default all.
  ///   - isForced: Whether nothing that has succeeded before stands in for an operation.
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

  /// A run that repeats `former`: with its labels, its params, as far as the pipeline still has them, for its instant, and with what succeeded in it and is still true.
  ///
  /// - Parameters:
  ///   - former: A run that has ended.
  ///   - pipeline: The definition to run it with.
  ///   - given: Params that have other values than in the former run, as texts.
  ///   - values: Those that files give, which `given` takes precedence over.
  ///   - labels: Labels beside those of the former run, or in their place.
  ///   - selection: Which operations are executed whatever came of them. Default none.
  ///   - isForced: Whether all of them are.
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

  /// Where only a part of the pipeline is run: takes the rest over from the latest run of it that has ended, where there is one.
  package mutating func takeRest(from history: History?) throws {
    guard options.selection != .all else { return }
    let ended: Set<RunState> = [.succeeded, .failed, .cancelled, .interrupted]
    options.source = try history?.runs(RunFilter(pipeline: pipeline.name, states: ended, limit: 1)).first?.id
  }

  /// The same for an instant that it stands for.
  func standing(for instant: RecordTime) -> RunStart {
    var start = self
    start.options.instant = instant
    return start
  }

  /// Whom the run is begun for, where it is not the one who asked for it: a controller, with what it told, and the instant at which it was due.
  mutating func attribute(to controller: String, event: JSONValue, at instant: RecordTime?) {
    options.trigger = .controller
    options.controller = controller
    options.event = event
    options.instant = instant
  }
}

extension RunStart {
  /// The places of the operations to execute; nil for all.
  package var selected: Set<Int>? { options.selection.positions(in: pipeline) }

  /// Whether what is neither executed nor taken over is left out.
  package var leavesOut: Bool { options.leavesOut }

  /// Makes sure that what is to be executed has what it needs, as the host does when the run begins.
  ///
  /// - Throws: `MissingDependency`, or `WorkspaceError`.
  package func check(in history: History?) throws {
    let former = try options.source.flatMap { try history?.operations(of: $0) } ?? []
    if let missing = MissingDependency.find(in: pipeline, options: options, former: former) { throw missing }
  }
}

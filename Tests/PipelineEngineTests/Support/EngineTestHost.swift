import Foundation
import Operations
import Synchronization
import Values
import Workspace

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

/// Runs pipelines in a temporary workspace, with a scripted executor or real processes, and a clock that delays advance.
struct EngineTestHost {
  let services: HostServices
  private let workspace: EngineTestWorkspace
  private let clock: any OperationClock & OperationDelayer

  /// A lent workspace has been used by earlier tests, and will be by later ones: it contains their runs, but is available sooner.
  init(
    executor: ScriptedExecutor? = nil, plugins: PluginSource = .none,
    clock: any OperationClock & OperationDelayer = SettableClock(), capacity: HostCapacity = HostCapacity(),
    configuration: HostConfiguration = HostConfiguration(), isLent: Bool = false,
    durability: Durability = .powerLoss
  ) throws {
    workspace = isLent ? try .lend() : try EngineTestWorkspace(isLent: false, durability: durability)
    self.clock = clock
    var configuration = configuration
    configuration.clock = clock
    configuration.delayer = clock
    configuration.random = OperationRandom(seed: 1)
    configuration.capacity = capacity
    configuration.executor = executor
    configuration.timeLimitDelayer = executor?.limits(clock)
    services = HostServices(
      loop: workspace.loop, history: workspace.history, recorder: workspace.recorder, configuration: configuration,
      plugins: plugins)
  }

  var directory: String { workspace.directory }
  var loop: EventLoop { workspace.loop }

  /// Returns the engine of a run of a pipeline given as text, with the texts of nested pipelines by the names of their files.
  func engine(
    _ text: String, nested: [String: String] = [:], parameters: [String: JSONValue] = [:], event: JSONValue? = nil,
    selection: RunOptions.Selection = .all, source: RunID? = nil, onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) throws -> RunEngine {
    let files = Dictionary(uniqueKeysWithValues: nested.map { ("\(directory)/\($0.key)", $0.value) })
    let loaded = PipelineLoader.load(
      text: text, path: directory + "/test.yaml", nested: files, plugins: services.plugins.source)
    guard let pipeline = loaded.pipeline else { throw InvalidPipeline(result: loaded) }
    var options = RunOptions()
    options.parameters = try ParameterResolver.resolve(pipeline, values: parameters.map { ($0.key, $0.value) })
    options.event = event
    options.selection = selection
    options.source = source
    return RunEngine(
      services: services, pipeline: pipeline,
      RunBrief(id: .generate(), options: options, observer: RunObserver(onEvent: onEvent)))
  }

  /// Runs a pipeline given as text.
  func run(
    _ text: String, parameters: [String: JSONValue] = [:], event: JSONValue? = nil,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> FinishedRun {
    try await run(engine(text, parameters: parameters, event: event, onEvent: onEvent))
  }

  /// Runs an engine to its end.
  func run(_ engine: RunEngine) async throws -> FinishedRun {
    let outcome = try await Task(executorPreference: loop) { try await engine.run() }.value
    return try finished(outcome)
  }

  /// Returns an ended run with everything that was recorded about it.
  func finished(_ outcome: RunOutcome) throws -> FinishedRun {
    FinishedRun(
      outcome: outcome, operations: try services.history.operations(of: outcome.run.id),
      attempts: try services.history.attempts(of: outcome.run.id))
  }

  /// Returns the services of another host in the same workspace, with this one's clock. It has its own recorder, which must be closed, so that this
  /// host records nothing more of runs that are claimed from it.
  func successor(_ executor: ScriptedExecutor) -> HostServices {
    var configuration = services.configuration
    configuration.executor = executor
    configuration.timeLimitDelayer = executor.limits(clock)
    return HostServices(
      loop: loop, history: services.history, recorder: HistoryRecorder(workspace: services.history.workspace),
      configuration: configuration)
  }

  /// Whether the file exists in the host's directory.
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(directory)/\(name)") }

  func create(_ name: String) { _ = FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil) }

  func close() async { await workspace.giveBack() }
}

/// A run with everything that was recorded about it.
struct FinishedRun {
  var outcome: RunOutcome
  var operations: [OperationRecord]
  var attempts: [AttemptRecord]

  /// `name state reason` of every operation, in order.
  var states: [String] {
    operations.map { "\($0.name) \($0.state.rawValue)" + ($0.reason.map { " \($0)" } ?? "") }
  }

  /// Returns the delays before the retries of an operation, in milliseconds.
  func delays(of name: String) -> [Int64] {
    guard let ordinal = operations.first(where: { $0.name == name })?.ordinal else { return [] }
    return attempts.filter { $0.ordinal == ordinal }.compactMap { $0.retryDelay.map { $0 / 1000 } }
  }
}

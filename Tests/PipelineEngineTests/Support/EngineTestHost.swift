import Foundation
import Operations
import Synchronization
import Values
import Workspace

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

/// Runs pipelines in a temporary workspace, with a scripted executor or real processes, and a clock that delays move on.
struct EngineTestHost {
  let services: HostServices
  private let workspace: EngineTestWorkspace
  private let clock: any OperationClock & OperationDelayer

  /// A lent workspace is one that earlier tests have used, one after another, and later ones will: with their runs in it, but sooner there.
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

  /// The engine of a run of a pipeline given as text, with the texts of nested pipelines by the names of their files.
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

  /// A run that has ended, with everything that was recorded of it.
  func finished(_ outcome: RunOutcome) throws -> FinishedRun {
    FinishedRun(
      outcome: outcome, operations: try services.history.operations(of: outcome.run.id),
      attempts: try services.history.attempts(of: outcome.run.id))
  }

  /// What another host in the same workspace has, with the clock of this one. Its recorder, which is to be closed, is its own, so that this host records
  /// nothing more of runs that are taken from it.
  func successor(_ executor: ScriptedExecutor) -> HostServices {
    var configuration = services.configuration
    configuration.executor = executor
    configuration.timeLimitDelayer = executor.limits(clock)
    return HostServices(
      loop: loop, history: services.history, recorder: HistoryRecorder(workspace: services.history.workspace),
      configuration: configuration)
  }

  /// Whether the file is there in the host's directory.
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(directory)/\(name)") }

  func create(_ name: String) { _ = FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil) }

  func close() async { await workspace.giveBack() }
}

/// A run with everything that was recorded of it.
struct FinishedRun {
  var outcome: RunOutcome
  var operations: [OperationRecord]
  var attempts: [AttemptRecord]

  /// `name state reason` of every operation, in order.
  var states: [String] {
    operations.map { "\($0.name) \($0.state.rawValue)" + ($0.reason.map { " \($0)" } ?? "") }
  }

  /// The delays before the retries of an operation, in milliseconds.
  func delays(of name: String) -> [Int64] {
    guard let ordinal = operations.first(where: { $0.name == name })?.ordinal else { return [] }
    return attempts.filter { $0.ordinal == ordinal }.compactMap { $0.retryDelay.map { $0 / 1000 } }
  }
}

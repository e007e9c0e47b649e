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
  let directory: String
  let services: HostServices
  let loop: EventLoop

  init(
    executor: ScriptedExecutor? = nil, plugins: PluginSource = .none,
    clock: any OperationClock & OperationDelayer = SettableClock(), capacity: HostCapacity = HostCapacity(),
    configuration: HostConfiguration = HostConfiguration()
  ) throws {
    directory = NSTemporaryDirectory() + "penstock-engine-\(UUID().uuidString)"
    let history = try History.open(at: directory + "/workspace", mode: .readWrite)
    loop = try EventLoop()
    var configuration = configuration
    configuration.clock = clock
    configuration.delayer = clock
    configuration.random = OperationRandom(seed: 1)
    configuration.capacity = capacity
    configuration.executor = executor
    configuration.timeLimitDelayer = executor?.limits(clock)
    services = HostServices(
      loop: loop, history: history,
      recorder: HistoryRecorder(workspace: history.workspace), configuration: configuration,
      plugins: plugins)
    try loop.start()
  }

  /// The engine of a run of a pipeline given as text.
  func engine(
    _ text: String, parameters: [String: JSONValue] = [:], event: JSONValue? = nil,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) throws -> RunEngine {
    let loaded = PipelineLoader.load(text: text, path: directory + "/test.yaml", plugins: services.plugins.source)
    guard let pipeline = loaded.pipeline else { throw InvalidPipeline(result: loaded) }
    var options = RunOptions()
    options.parameters = try ParameterResolver.resolve(pipeline, values: parameters.map { ($0.key, $0.value) })
    options.event = event
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
    return FinishedRun(
      outcome: outcome, operations: try services.history.operations(of: outcome.run.id),
      attempts: try services.history.attempts(of: outcome.run.id))
  }

  /// Whether the file is there in the host's directory.
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(directory)/\(name)") }

  func create(_ name: String) { _ = FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil) }

  func close() async {
    try? await services.recorder.close()
    services.history.workspace.close()
    loop.stop()
    try? FileManager.default.removeItem(atPath: directory)
  }
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

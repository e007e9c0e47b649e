import Foundation
import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import Server
import Synchronization
import Testing
import Values
import Workspace

/// A workspace and a folder of pipelines in a directory of its own, which hosts serve one after another.
final class ServerBench: Sendable {
  let directory: String
  let folder: String
  let plugins: PluginSource
  private let lines = Mutex<[String]>([])
  private let change: @Sendable (inout ServerConfiguration) -> Void
  private let onLog: @Sendable (String) -> Void

  /// What has the host done so far, in the words of its log.
  var log: [String] { lines.withLock { $0 } }

  init(
    plugins: PluginSource = .none, _ pipelines: [String: String] = [:],
    change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
    onLog: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    directory = NSTemporaryDirectory() + "penstock-server-\(UUID().uuidString)"
    folder = directory + "/pipelines"
    self.plugins = plugins
    self.change = change
    self.onLog = onLog
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, text) in pipelines { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: "\(folder)/\(name).yaml", atomically: true, encoding: .utf8)
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(folder)/\(name).yaml") }

  /// The history, for somebody beside the host.
  func history() throws -> History { try History.open(at: directory + "/workspace", mode: .readWrite) }

  func server(_ states: HostStates = HostStates()) throws -> PipelineServer {
    let service = RunService.Configuration(plugins: plugins, durability: .process, testing: TestingConditions())
    var configuration = ServerConfiguration(
      paths: [folder], location: WorkspaceLocation(path: directory + "/workspace", origin: .option), service: service,
      version: "test")
    configuration.computer.settling = .milliseconds(25)
    // What a test leaves going on is cancelled.
    configuration.drain = .milliseconds(50)
    change(&configuration)
    let log = HostLog(.text) { [weak self] line in
      self?.lines.withLock { $0.append(line) }
      self?.onLog(line)
    }
    return try PipelineServer(configuration, log: log, states: states)
  }

  /// Serves while `body` goes on, and makes sure that the host ends when it is drained. `status` is told what the host does, as a service manager is.
  func serve(
    status: (@Sendable (String) -> Void)? = nil, _ body: (PipelineServer, History) async throws -> Void
  ) async throws {
    let (ready, sink) = AsyncStream<HostStates.State>.makeStream()
    var states = HostStates { sink.yield($0) }
    states.onStatus = status
    let server = try server(states)
    let serving = Task {
      defer { sink.finish() }
      try await server.run()
    }
    for await state in ready where state == .ready { break }
    let history = try history()
    defer { history.workspace.close() }
    do {
      try await body(server, history)
    } catch {
      server.send(.drain(RunCanceller(means: .drain)))
      server.send(.drain(RunCanceller(means: .drain)))
      _ = try? await serving.value
      throw error
    }
    server.send(.drain(RunCanceller(means: .drain)))
    try await serving.value
  }

  /// Queues a run as `penstock start` does.
  @discardableResult
  func start(
    _ name: String, _ params: [(name: String, text: String)] = [], priority: Int? = nil, in history: History
  ) throws -> RunID {
    let request = try RequestedRun(ofPipelineNamed: name, in: history, plugins: plugins, who: "ada") { result in
      try #require(result.pipeline)
    }
    return try request.queue(
      given: params, values: [:], labels: [:], priority: priority, who: "ada", version: "test")
  }
}

/// A run as it is shown, which is longer than usual where ids of many runs begin alike.
func short(_ run: RunID, in history: History) -> String { (try? history.shortForm(of: run)) ?? run.text }

/// Waits until `condition` holds, looking at it often.
func eventually(
  _ condition: () async throws -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let deadline = ContinuousClock.now + .seconds(60)
  while ContinuousClock.now < deadline {
    if try await condition() { return }
    try await Task.sleep(for: .milliseconds(5))
  }
  #expect(try await condition(), sourceLocation: sourceLocation)
}

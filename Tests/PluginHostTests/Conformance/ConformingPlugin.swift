import Testing
import Values

@testable import PluginHost

/// A plugin that runs in this process or in a child host, as the test chooses. The test must not be able to observe the difference.
struct ConformingPlugin {
  let connection: any PluginConnection
  let log = RecordedLog()

  /// Creates a plugin that uses `clock`, wherever it runs.
  init(
    _ isolation: PluginReference.Isolation, _ source: TestPlugin.Source,
    clock: any PluginClock = SystemPluginClock.shared
  ) throws {
    let path = try TestPlugin.compile(source)
    let log = log
    switch isolation {
    case .host:
      let options = InProcessConnection.Options(clock: clock) { log.note($0, $1, $2) }
      connection = try InProcessConnection(PluginImage.open(path, isCopy: true), options: options)
    case .process:
      let launch = try IsolatedTestPlugin.launch(path, name: source.id)
      var options = IsolatedConnection.Options(clock: clock) { log.note($0, source.id, $1) }
      // Unoptimised code parses megabytes here while all other tests run.
      options.limits.ping = .seconds(60)
      connection = try IsolatedConnection.open(launch, options: options)
    }
  }

  func offer(_ id: String? = nil) throws -> PluginOffer {
    try #require(connection.description.offers.first { id == nil || $0.id == id })
  }

  /// Returns an instance that was not started.
  func create(
    _ id: String? = nil, settings: JSONValue = [:], access: PluginAccess = .none, events: RecordedEvents
  ) throws -> any PluginInstance {
    connection.create(try offer(id), settings: settings, access: access, events: events)
  }

  /// Runs an instance with `input` and returns its events once it has ended.
  func run(
    _ id: String? = nil, settings: JSONValue = [:], input: JSONValue = [:], access: PluginAccess = .none
  ) async throws -> RecordedEvents {
    let events = RecordedEvents()
    let instance = try create(id, settings: settings, access: access, events: events)
    instance.start(input)
    _ = await events.waitForEnd()
    instance.destroy()
    return events
  }
}

import Testing
import Values

@testable import PluginHost

/// A plugin that was compiled and loaded for a test, with a clock that stands still.
struct LoadedTestPlugin {
  let connection: InProcessConnection
  let clock: ManualPluginClock
  let log: RecordedLog

  init(_ source: TestPlugin.Source, limits: CallWatchdog.Limits = .none) throws {
    let clock = ManualPluginClock()
    let log = RecordedLog()
    let options = InProcessConnection.Options(clock: clock, limits: limits) { log.note($0, $1, $2) }
    // A copy, since parallel tests may have compiled the same source.
    connection = try InProcessConnection(PluginImage.open(TestPlugin.compile(source), isCopy: true), options: options)
    self.clock = clock
    self.log = log
  }

  /// Returns the only offer, or the one with this id.
  func offer(_ id: String? = nil) throws -> PluginOffer {
    try #require(connection.description.offers.first { id == nil || $0.id == id })
  }

  /// Returns an instance that has not been started.
  func create(
    _ id: String? = nil, settings: JSONValue = [:], access: PluginAccess = .none, events: RecordedEvents
  ) throws -> any PluginInstance {
    connection.create(try offer(id), settings: settings, access: access, events: events)
  }
}

extension CallWatchdog.Limits {
  /// Limits that report no call: on a busy computer, any call may take long.
  static let none = CallWatchdog.Limits(slow: .max, slowWhereLong: .max, hanging: .max)
}

extension TestPlugin.Source {
  /// Returns a plugin with one controller under its own id.
  static func controller(_ id: String = "echo", _ change: (inout Self) -> Void = { _ in }) -> Self {
    Self(id: id) {
      $0.offers = [#"{"kind": "controller", "id": "\#(id)", "summary": "Yields"}"#]
      $0.start = ""
      change(&$0)
    }
  }

  /// Returns a plugin with one specification under its own id.
  static func specification(_ id: String = "echo", _ change: (inout Self) -> Void = { _ in }) -> Self {
    Self(id: id) {
      $0.offers = [#"{"kind": "specification", "id": "\#(id)", "summary": "Is so or not"}"#]
      $0.start = ""
      change(&$0)
    }
  }
}

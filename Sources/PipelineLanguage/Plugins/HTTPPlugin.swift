import HTTPOperations
import Operations
import OrderedCollections
import PluginHost
import Values

/// The plugin `http`, which is built into every host and whose requests the host performs.
///
/// It uses the same interface as any other plugin, so that checks, schema, settings and secrets work the same way.
package final class HTTPPlugin: PipelinePlugin {
  /// The id of the plugin, which no plugin file can have.
  package static let id = "http"

  package let description: PluginDescription
  // Only used for comparing operations.
  package let hash = ""
  package let continuesFromLatestEvent = true
  /// Creates its instances; the host performs their requests. Nil if a pipeline is only inspected.
  package typealias Maker =
    @Sendable (
      _ settings: JSONValue, _ access: PluginAccess, _ events: any PluginInstanceEvents
    ) -> any PluginInstance

  private let maker: Maker?
  /// The names of the secrets that it receives; nil if that is unknown.
  private let secrets: Set<String>?

  /// Creates the plugin; returns nil if its own description is invalid, which a test rules out.
  package init?(secrets: Set<String>? = nil, maker: Maker? = nil) {
    guard let description = try? PluginDescription.parse(Self.offers, file: Self.id) else { return nil }
    self.description = description
    self.secrets = secrets
    self.maker = maker
  }

  /// A plugin that only describes its offers and creates no working instances.
  static let described = HTTPPlugin()

  package func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure? {
    do {
      let settings = try HTTPEventsSettings(settings)
      return secrets.flatMap { settings.secretMissing(in: $0) }
    } catch {
      return error
    }
  }

  package func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    maker?(settings, access, events) ?? InstanceWithoutHost(events: events)
  }

  static let eventType = "{type: string, data: string, id: string, url: string}"

  private static let offers: JSONValue = [
    "id": .string(id), "version": "1.0.0", "summary": "Server-sent events as a controller",
    "offers": [
      [
        "kind": "controller", "id": "http.events", "summary": "Runs the pipeline for each event that a server sends",
        "states": .string(eventType),
        "settings": [
          setting("url", "string", "The URL of the stream of events", required: true),
          setting("events", "[string]", "The types of events that run the pipeline; all if it is empty", []),
          setting("headers", "json", "Header fields of the request: an object of strings"),
          setting("bearer", "string", "The name of a secret that is sent as a bearer token"),
          setting(
            "secret_headers", "json",
            "Header fields of the request whose values are secrets: an object with the names of the secrets"),
          setting(
            "reconnect", "duration", "How long to wait before reconnecting, unless the server sends a time", "3s"),
          setting(
            "silence", "duration", "How long the server may be silent before the connection counts as lost", "5m"),
          setting(
            "remember", "bool", "Whether to continue after the latest event that started a run, even in another host",
            true),
        ],
      ]
    ],
  ]

  private static func setting(
    _ name: String, _ type: String, _ summary: String, _ standard: JSONValue? = nil,
    required: Bool = false
  ) -> JSONValue {
    var members: OrderedDictionary<String, JSONValue> = [
      "name": .string(name), "type": .string(type), "summary": .string(summary),
    ]
    if let standard { members["default"] = standard }
    if required { members["required"] = true }
    return .object(members)
  }
}

/// An instance without a host to perform its requests: it fails when it is started.
private final class InstanceWithoutHost: PluginInstance {
  private let events: any PluginInstanceEvents

  init(events: any PluginInstanceEvents) { self.events = events }

  func start(_ input: JSONValue) {
    events.ended(.failure(PluginFailure(code: PluginError.Code.closed.rawValue, message: "there is no host")))
  }

  func stop(grace: Duration) {}

  func destroy() {}
}

import HTTPOperations
import Operations
import OrderedCollections
import PluginHost
import Values

/// The plugin `http`, which every host has without a file: its requests are those of the host.
///
/// It is seen through the same door as every other, so that checks, schema, settings and secrets are the same.
package final class HTTPPlugin: PipelinePlugin {
  /// Its id, which no file can have.
  package static let id = "http"

  package let description: PluginDescription
  // Only operations are compared by it.
  package let hash = ""
  package let continuesFromLatestEvent = true
  /// Makes its instances: what carries the requests is the host's. Nil where a pipeline is only looked at.
  package typealias Maker =
    @Sendable (
      _ settings: JSONValue, _ access: PluginAccess, _ events: any PluginInstanceEvents
    ) -> any PluginInstance

  private let maker: Maker?
  /// The names of the secrets that it is given; nil where that is not known.
  private let secrets: Set<String>?

  /// The plugin; nil, which a test excludes, where its own description is not one.
  package init?(secrets: Set<String>? = nil, maker: Maker? = nil) {
    guard let description = try? PluginDescription.parse(Self.offers, file: Self.id) else { return nil }
    self.description = description
    self.secrets = secrets
    self.maker = maker
  }

  /// The one that answers for what it offers, and makes no instances.
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
          setting("url", "string", "Where the events come from", required: true),
          setting("events", "[string]", "The types of the events that count", []),
          setting("headers", "json", "Fields of the request: an object of texts"),
          setting("bearer", "string", "The name of a secret that is sent as a bearer token"),
          setting("secret_headers", "json", "Fields of the request with the names of the secrets that they are"),
          setting("reconnect", "duration", "How long to wait before connecting again, unless the server says", "3s"),
          setting("silence", "duration", "How long the server may be silent before the connection is lost", "5m"),
          setting("remember", "bool", "Whether to go on behind the latest event that began a run, in any host", true),
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

/// Stands for an instance where nothing carries its requests: it fails as soon as it is started.
private final class InstanceWithoutHost: PluginInstance {
  private let events: any PluginInstanceEvents

  init(events: any PluginInstanceEvents) { self.events = events }

  func start(_ input: JSONValue) {
    events.ended(.failure(PluginFailure(code: PluginError.Code.closed.rawValue, message: "there is no host")))
  }

  func stop(grace: Duration) {}

  func destroy() {}
}

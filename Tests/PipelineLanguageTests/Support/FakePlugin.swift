import PluginHost
import Synchronization
import Testing
import Values

@testable import PipelineLanguage

/// The interface of a test's plugin instance to its host.
struct FakeInstance: Sendable {
  let offer: PluginOffer
  let settings: JSONValue
  let input: JSONValue
  let access: PluginAccess
  let events: any PluginInstanceEvents
}

/// A plugin that is implemented in a test.
final class FakePlugin: PipelinePlugin {
  typealias Start = @Sendable (FakeInstance) -> Void

  let description: PluginDescription
  let hash: String
  /// Returns the planned instants of its controllers; nil means that they are unknown.
  let forecast = Mutex<(@Sendable (JSONValue, InstantsQuestion) throws(PluginFailure) -> PlannedInstants?)?>(nil)
  private let start: Start
  private let onStop: Start
  /// Returns the reason that the plugin rejects settings.
  private let refusal: @Sendable (PluginOffer, JSONValue) -> PluginFailure?
  /// The settings that were checked.
  let checked = Mutex<[String]>([])
  /// The number of instances created and destroyed.
  let counts = Mutex((created: 0, destroyed: 0))

  /// Creates a plugin with the JSON objects of its offers, which get a summary if they have none, and the function that starts an instance.
  convenience init(
    _ id: String, offers: [JSONValue], hash: String = "0",
    start: @escaping Start = { $0.events.ended(.success($0.input["requirement"])) }
  ) throws {
    try self.init(id, offers: offers, hash: hash, stop: { $0.events.ended(.success(nil)) }, start: start)
  }

  /// Creates the same, with a function that stops an instance and receives the grace period as its input.
  convenience init(
    _ id: String, offers: [JSONValue], hash: String = "0", stop: @escaping Start, start: @escaping Start
  ) throws {
    try self.init(id, offers, hash, stop: stop, start: start) { _, _ in nil }
  }

  /// Creates a plugin whose instances do nothing, with a function that returns why settings are rejected.
  convenience init(
    _ id: String, offers: [JSONValue], refusal: @escaping @Sendable (PluginOffer, JSONValue) -> PluginFailure?
  ) throws {
    try self.init(id, offers, "0", stop: { _ in }, start: { _ in }, refusal: refusal)
  }

  private init(
    _ id: String, _ offers: [JSONValue], _ hash: String, stop: @escaping Start, start: @escaping Start,
    refusal: @escaping @Sendable (PluginOffer, JSONValue) -> PluginFailure?
  ) throws {
    let offers = offers.map { offer -> JSONValue in
      var members = offer.objectValue ?? [:]
      members["summary"] = members["summary"] ?? "For tests"
      return .object(members)
    }
    let text: JSONValue = .object([
      "id": .string(id), "version": "1.0.0", "summary": "For tests", "offers": .array(offers),
    ])
    description = try PluginDescription.parse(text, file: "\(id).so")
    self.hash = hash
    self.start = start
    onStop = stop
    self.refusal = refusal
  }

  func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure? {
    checked.withLock { $0.append("\(offer.id) \(settings.text)") }
    return refusal(offer, settings)
  }

  func instants(
    of offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion
  ) throws(PluginFailure) -> PlannedInstants? {
    let forecast = forecast.withLock { $0 }
    return try forecast?(settings, question)
  }

  func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    counts.withLock { $0.created += 1 }
    return Instance(plugin: self, offer: offer, settings: settings, access: access, events: events)
  }

  private final class Instance: PluginInstance {
    let plugin: FakePlugin
    let offer: PluginOffer
    let settings: JSONValue
    let access: PluginAccess
    let events: any PluginInstanceEvents
    let isDestroyed = Mutex(false)

    init(
      plugin: FakePlugin, offer: PluginOffer, settings: JSONValue, access: PluginAccess,
      events: any PluginInstanceEvents
    ) {
      self.plugin = plugin
      self.offer = offer
      self.settings = settings
      self.access = access
      self.events = events
    }

    private func told(_ input: JSONValue) -> FakeInstance {
      FakeInstance(offer: offer, settings: settings, input: input, access: access, events: events)
    }

    func start(_ input: JSONValue) { plugin.start(told(input)) }
    func stop(grace: Duration) { plugin.onStop(told(.string("\(grace)"))) }

    func destroy() {
      let isFirst = isDestroyed.withLock { isDestroyed in
        defer { isDestroyed = true }
        return !isDestroyed
      }
      if isFirst { plugin.counts.withLock { $0.destroyed += 1 } }
    }
  }
}

/// The plugins of a test.
final class FakeCatalog: PluginCatalog {
  let plugins: [String: FakePlugin]
  let failures: [String: PluginError]
  /// The ids that were looked up, with their references.
  let asked = Mutex<[(id: String, reference: PluginReference)]>([])
  let lines = Mutex<[String]>([])

  init(_ plugins: [FakePlugin] = [], failures: [String: PluginError] = [:]) {
    self.plugins = Dictionary(uniqueKeysWithValues: plugins.map { ($0.description.id, $0) })
    self.failures = failures
  }

  func plugin(_ id: String, _ reference: PluginReference) throws(PluginError) -> any PipelinePlugin {
    asked.withLock { $0.append((id, reference)) }
    if let failure = failures[id] { throw failure }
    guard let plugin = plugins[id] else {
      throw PluginError(.notFound, "there is no plugin '\(id)': looked in '/plugins'")
    }
    return plugin
  }

  var knownIDs: [String] { plugins.keys.sorted() }

  func log(_ level: PluginLogLevel, plugin: String, pipeline: String?, _ message: String) {
    lines.withLock { $0.append("\(level) \(plugin): \(message)") }
  }

  /// Returns the findings from loading `text` with these plugins.
  func findings(_ text: String) -> [String] {
    PipelineLoader.load(text: text, path: "/files/test.yaml", plugins: .catalog(self)).diagnostics.map(shown)
  }

  /// Returns the pipeline in `text`, which must have no errors.
  func pipeline(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PipelineDefinition {
    let result = PipelineLoader.load(text: text, path: "/files/test.yaml", plugins: .catalog(self))
    return try #require(
      result.pipeline, Comment(rawValue: result.diagnostics.map(shown).joined(separator: "\n")),
      sourceLocation: sourceLocation)
  }
}

import PluginHost
import Synchronization
import Testing
import Values

@testable import PipelineLanguage

/// What a test's instance can tell its host.
struct FakeInstance: Sendable {
  let offer: PluginOffer
  let settings: JSONValue
  let input: JSONValue
  let access: PluginAccess
  let events: any PluginInstanceEvents
}

/// A plugin that is written in a test.
final class FakePlugin: PipelinePlugin {
  typealias Start = @Sendable (FakeInstance) -> Void

  let description: PluginDescription
  let hash: String
  /// Which instants of its controllers come; nobody knows them while it is nil.
  let forecast = Mutex<(@Sendable (JSONValue, InstantsQuestion) throws(PluginFailure) -> PlannedInstants?)?>(nil)
  private let start: Start
  private let onStop: Start
  /// Why it does not take settings.
  private let refusal: @Sendable (PluginOffer, JSONValue) -> PluginFailure?
  /// The settings that it was asked about.
  let checked = Mutex<[String]>([])
  /// How many instances were made, and how many of them were let go of.
  let counts = Mutex((created: 0, destroyed: 0))

  /// A plugin with the JSON objects of its offers, to which a summary is added where there is none, and with what an
  /// instance does when it is started.
  convenience init(
    _ id: String, offers: [JSONValue], hash: String = "0",
    start: @escaping Start = { $0.events.ended(.success($0.input["requirement"])) }
  ) throws {
    try self.init(id, offers: offers, hash: hash, stop: { $0.events.ended(.success(nil)) }, start: start)
  }

  /// The same, with what an instance does when it is asked to end, the grace for which is its input then.
  convenience init(
    _ id: String, offers: [JSONValue], hash: String = "0", stop: @escaping Start, start: @escaping Start
  ) throws {
    try self.init(id, offers, hash, stop: stop, start: start) { _, _ in nil }
  }

  /// One whose instances do nothing, with why it does not take settings.
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

/// The plugins that a test has.
final class FakeCatalog: PluginCatalog {
  let plugins: [String: FakePlugin]
  let failures: [String: PluginError]
  /// The ids that were asked for, and with what.
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

  func log(_ level: PluginLogLevel, plugin: String, _ message: String) {
    lines.withLock { $0.append("\(level) \(plugin): \(message)") }
  }

  /// What loading `text` with these plugins finds.
  func findings(_ text: String) -> [String] {
    PipelineLoader.load(text: text, path: "/files/test.yaml", plugins: .catalog(self)).diagnostics.map(shown)
  }

  /// The pipeline of `text`, which must have no errors.
  func pipeline(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PipelineDefinition {
    let result = PipelineLoader.load(text: text, path: "/files/test.yaml", plugins: .catalog(self))
    return try #require(
      result.pipeline, Comment(rawValue: result.diagnostics.map(shown).joined(separator: "\n")),
      sourceLocation: sourceLocation)
  }
}

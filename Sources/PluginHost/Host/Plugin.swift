import Synchronization
import Values

/// A loaded plugin: a factory of operations, controllers and specifications.
///
/// It keeps its identity when its file changes and is reloaded: instances created from then on run the new code, and existing ones continue with
/// the old code. It may be used on any thread.
public final class Plugin: Sendable {
  /// The source of a plugin's code.
  package struct Source: Sendable {
    package var file: PluginFile
    package var sha256: String
    package var isolation: PluginReference.Isolation
  }

  private struct State {
    var source: Source
    var connection: any PluginConnection
  }

  /// The plugin's id: the first part of the ids of its offers.
  public let id: String
  private let state: Mutex<State>

  let clock: any PluginClock

  init(_ connection: any PluginConnection, _ source: Source, clock: any PluginClock) {
    self.clock = clock
    id = connection.description.id
    state = Mutex(State(source: source, connection: connection))
  }

  /// The plugin's checked description of itself.
  public var description: PluginDescription { connection.description }

  /// The shared object.
  public var file: PluginFile { source.file }

  /// The SHA-256 of the shared object: 64 lower-case hexadecimal digits.
  public var sha256: String { source.sha256 }

  /// Where the code runs.
  public var isolation: PluginReference.Isolation { source.isolation }

  package var source: Source { state.withLock { $0.source } }

  package var connection: any PluginConnection { state.withLock { $0.connection } }

  /// Replaces the old code, which retires unless the same connection has taken over another file.
  func replace(by connection: any PluginConnection, _ source: Source) {
    let former = state.withLock { state in
      defer { state = State(source: source, connection: connection) }
      return state.connection
    }
    if former !== connection { former.retire() }
  }

  /// Notes that the file was touched without a change of its content.
  func note(_ file: PluginFile) {
    state.withLock { $0.source.file = file }
  }

  /// Returns the offer with this id.
  ///
  /// - Parameters:
  ///   - id: The id of an offer, such as `calendar.time-window`, or the plugin's own id.
  ///   - kind: The kind that it must have.
  /// - Returns: The offer as currently described.
  /// - Throws: `no-such-offer`, with a suggestion of the intended name.
  public func offer(_ id: String, _ kind: PluginOffer.Kind) throws(PluginError) -> PluginOffer {
    let description = description
    if let offer = description.offer(id, kind) { return offer }
    let names = description.offers.filter { $0.kind == kind }.map(\.id)
    let advice =
      if let other = description.offers.first(where: { $0.id == id }) {
        "'\(other.id)' is \(other.kind.noun)"
      } else if let near = NearestName.suggestion(for: id, among: names) {
        "did you mean '\(near)'?"
      } else if names.isEmpty {
        "it offers no \(kind.rawValue)s"
      } else {
        "its \(kind.rawValue)s are \(names.map { "'\($0)'" }.joined(separator: ", "))"
      }
    throw PluginError(
      .noSuchOffer,
      "plugin '\(self.id)' (\(description.version)) offers no \(kind.rawValue) \(id.quotedForMessage); \(advice)")
  }

  /// Creates an instance. See ``PluginConnection/create(_:settings:access:events:)``.
  package func create(
    _ offer: PluginOffer, settings: JSONValue, access: PluginAccess = .none, events: any PluginInstanceEvents
  ) -> any PluginInstance {
    connection.create(offer, settings: settings, access: access, events: events)
  }

  /// Returns an offer and its checked settings.
  func resolve(
    _ id: String, _ kind: PluginOffer.Kind, _ settings: JSONValue
  ) throws(PluginError) -> (offer: PluginOffer, settings: JSONValue) {
    let offer = try offer(id, kind)
    do throws(PluginSettingProblems) {
      return (offer, try offer.resolve(settings: settings))
    } catch {
      throw PluginError(.settings, error.description)
    }
  }
}

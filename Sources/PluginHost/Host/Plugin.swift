import Synchronization
import Values

/// A loaded plugin: a factory of operations, controllers and specifications.
///
/// It stays the same where its file changes and is loaded again: what is made from then on is made by the new code, and what was
/// made before goes on with the old one. May be used on any thread.
public final class Plugin: Sendable {
  /// Where the code comes from.
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

  /// What the plugin says about itself, checked.
  public var description: PluginDescription { connection.description }

  /// The shared object.
  public var file: PluginFile { source.file }

  /// The SHA-256 of the shared object: 64 hexadecimal digits in lower case.
  public var sha256: String { source.sha256 }

  /// Where the code runs.
  public var isolation: PluginReference.Isolation { source.isolation }

  package var source: Source { state.withLock { $0.source } }

  package var connection: any PluginConnection { state.withLock { $0.connection } }

  /// Puts new code in the place of the old one, which retires, unless it is one connection that has taken over another file.
  func replace(by connection: any PluginConnection, _ source: Source) {
    let former = state.withLock { state in
      defer { state = State(source: source, connection: connection) }
      return state.connection
    }
    if former !== connection { former.retire() }
  }

  /// Notes that the file was touched, and is what it was.
  func note(_ file: PluginFile) {
    state.withLock { $0.source.file = file }
  }

  /// The offer with this id.
  ///
  /// - Parameters:
  ///   - id: `calendar.time-window`, or the plugin's own id.
  ///   - kind: What it must be.
  /// - Returns: The offer, as it is described now.
  /// - Throws: `no-such-offer`, with the name that was probably meant.
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
        "it offers no \(kind.rawValue)s at all"
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

  /// An offer and its settings, checked.
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

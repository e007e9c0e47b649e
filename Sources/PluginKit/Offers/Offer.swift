/// An operation, controller or specification that a plugin offers to pipeline files.
///
/// An offer's id is the plugin's own, or begins with it and a dot: `words`, `words.count`. Its settings, and the types of its inputs and outputs,
/// are described by Swift types, so that the host can check a pipeline when it is loaded.
///
/// Create one with `operation(_:_:threads:_:)` and its variants,
/// `controller(_:_:threads:whenFull:_:)` or
/// `specification(_:_:threads:_:)`.
public struct Offer: Sendable {
  /// The kind of an offer.
  package enum Kind: String, Sendable, CaseIterable {
    case operation, controller, specification
  }

  /// The scope within which the host calls an offer's functions one at a time.
  public enum Threads: String, Sendable, Hashable {
    /// The functions of one instance, which suits most Swift code.
    case instance
    /// The functions of all instances of the plugin, for code based on libraries that require this. It covers only what the host calls: evaluating
    /// specifications and decoding settings. Tasks of several operations still run in parallel.
    case plugin
  }

  /// What happens to a controller's new states and reruns when the maximum number waits for runs: 1,000, or 100,000 reruns with an instant.
  public enum WhenFull: String, Sendable, Hashable {
    /// The newest is not kept, and the controller is notified: ``Delivery/full``.
    case refuse
    /// The newest replaces the oldest, unless that has an instant: for a controller of which only the latest signal matters.
    case replace
  }

  let kind: Kind
  /// The id in pipeline files.
  public let id: String
  /// A one-line summary.
  public let summary: String
  let threads: Threads
  let whenFull: WhenFull
  let settings: @Sendable () throws -> [JSONValue]
  /// The types of the requirement, result and states, as the contract describes them.
  let types: [(name: String, type: ValueType)]
  /// Returns the problems of the declaration.
  let problems: @Sendable () -> [String]
  let make: @Sendable (InstanceLink, JSONValue) throws -> any Instance

  init<Settings: PluginSettings>(
    _ kind: Kind, _ id: String, _ summary: String, _ threads: Threads, _ whenFull: WhenFull = .refuse,
    types: [(name: String, type: ValueType)],
    _ make: @escaping @Sendable (InstanceLink, Settings) throws -> any Instance
  ) {
    let shape = SettingsShape(Settings.self)
    self.kind = kind
    self.id = id
    self.summary = summary
    self.threads = threads
    self.whenFull = whenFull
    self.types = types
    settings = { try shape.description() }
    problems = { shape.problems() }
    self.make = { link, members in try make(link, try shape.decode(members)) }
  }

  /// Returns the offer as the contract describes it.
  func description() throws -> JSONValue {
    var members: JSONMembers = [
      "kind": .string(kind.rawValue), "id": .string(id), "summary": .string(summary),
    ]
    let settings = try settings()
    if !settings.isEmpty { members["settings"] = .array(settings) }
    for (name, type) in types { members[name] = .string(type.description) }
    if threads != .instance { members["threads"] = .string(threads.rawValue) }
    if whenFull != .refuse { members["when_full"] = .string(whenFull.rawValue) }
    return .object(members)
  }
}

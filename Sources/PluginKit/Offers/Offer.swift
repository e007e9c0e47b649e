/// One thing that a plugin offers to pipeline files: an operation, a controller or a specification.
///
/// An offer's id is the plugin's own, or begins with it and a dot: `words`, `words.count`. Its settings, and the types of
/// what goes in and comes out, are described by the Swift types, so that the host can check a pipeline when it is loaded.
///
/// Make one with ``operation(_:_:threads:_:)-(_,_,_,(Settings)->Operation)`` and its like,
/// ``controller(_:_:threads:whenFull:_:)-(_,_,_,(Settings)->Controller)`` or
/// ``specification(_:_:threads:_:)-(_,_,_,(Settings)->Specification)``.
public struct Offer: Sendable {
  /// What an offer is.
  package enum Kind: String, Sendable, CaseIterable {
    case operation, controller, specification
  }

  /// Which functions of its instances the host keeps from running at the same time.
  public enum Threads: String, Sendable, Hashable {
    /// Those of one instance. What most Swift code wants.
    case instance
    /// Those of all instances of the plugin, for code on libraries that cannot do more. It concerns only what the host
    /// calls: how specifications are asked and settings are made. Tasks of several operations still run side by side.
    case plugin
  }

  /// What becomes of a controller's states and reruns where as many wait for their runs as may: 1,000, or 100,000 reruns with an instant.
  public enum WhenFull: String, Sendable, Hashable {
    /// The newest is not kept, and the controller is told: ``Delivery/full``.
    case refuse
    /// The oldest gives way to the newest, unless it has an instant: for a controller of which only the latest counts.
    case replace
  }

  let kind: Kind
  /// The id in pipeline files.
  public let id: String
  /// One line for people.
  public let summary: String
  let threads: Threads
  let whenFull: WhenFull
  let settings: @Sendable () throws -> [JSONValue]
  /// Requirement, result and states, as the contract describes them.
  let types: [(name: String, type: ValueType)]
  /// What is wrong with the declaration.
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

  /// The offer as the contract describes it.
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

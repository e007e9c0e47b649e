import Values

/// One thing that a plugin offers.
public struct PluginOffer: Sendable, Hashable {
  /// What an offer is made into.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case operation
    case controller
    case specification
  }

  /// Which functions of an offer's instances the host keeps from running at the same time.
  public enum Threads: String, Sendable, Hashable, CaseIterable {
    /// Those of one instance.
    case instance
    /// Those of all instances of the plugin.
    case plugin
  }

  /// What becomes of what a controller tells while as much waits as there may.
  public enum WhenFull: String, Sendable, Hashable, CaseIterable {
    /// It is refused, and the controller told so.
    case refuse
    /// The oldest that waits gives way to it.
    case replace
  }

  /// Whether it is an operation, a controller or a specification.
  public let kind: Kind
  /// `calendar.time-window`, or the plugin's own id.
  public let id: String
  /// One line.
  public let summary: String
  /// What `with:` may hold, in the order in which the plugin lists it.
  public let settings: [PluginSetting]
  /// The type of what is injected into an operation; nil where it takes nothing.
  public let requirement: ValueType?
  /// The type of an operation's result.
  public let result: ValueType
  /// The type of what a controller yields.
  public let states: ValueType
  /// Which functions of its instances never run at the same time.
  public let threads: Threads
  /// What becomes of what a controller tells while as much waits as there may.
  public let whenFull: WhenFull
}

extension PluginOffer.Kind {
  /// The kind with its article.
  var noun: String { self == .operation ? "an operation" : "a \(rawValue)" }
}

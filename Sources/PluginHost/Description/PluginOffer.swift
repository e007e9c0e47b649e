import Values

/// An operation, controller or specification that a plugin offers.
public struct PluginOffer: Sendable, Hashable {
  /// The kind of an offer.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case operation
    case controller
    case specification
  }

  /// The scope within which the host calls an offer's functions one at a time.
  public enum Threads: String, Sendable, Hashable, CaseIterable {
    /// The functions of one instance.
    case instance
    /// The functions of all instances of the plugin.
    case plugin
  }

  /// What happens to a controller's new signals when the maximum number is waiting.
  public enum WhenFull: String, Sendable, Hashable, CaseIterable {
    /// The new signal is refused, and the controller is notified.
    case refuse
    /// The new signal replaces the oldest waiting one.
    case replace
  }

  /// Whether it is an operation, a controller or a specification.
  public let kind: Kind
  /// `calendar.time-window`, or the plugin's own id.
  public let id: String
  /// A one-line summary.
  public let summary: String
  /// The members that `with:` may have, in the order in which the plugin lists them.
  public let settings: [PluginSetting]
  /// The type of the value that is injected into an operation; nil if it takes none.
  public let requirement: ValueType?
  /// The type of an operation's result.
  public let result: ValueType
  /// The type of the states that a controller yields.
  public let states: ValueType
  /// Which functions of its instances never run at the same time.
  public let threads: Threads
  /// What happens to a controller's new signals when the maximum number is waiting.
  public let whenFull: WhenFull
}

extension PluginOffer.Kind {
  /// The kind with its indefinite article.
  var noun: String { self == .operation ? "an operation" : "a \(rawValue)" }
}

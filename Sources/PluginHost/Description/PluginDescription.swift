import Values

/// What a plugin says about itself, checked: see "Description" in `plugin.h`.
public struct PluginDescription: Sendable, Hashable {
  /// `calendar`: the first part of the ids of its offers.
  public let id: String
  public let version: String
  public let summary: String
  public let author: String?
  public let license: String?
  public let homepage: String?
  /// In the order in which the plugin lists them.
  public let offers: [PluginOffer]
  /// The JSON as the plugin gave it.
  public let source: JSONValue

  /// The offer with this id and kind.
  public func offer(_ id: String, _ kind: PluginOffer.Kind) -> PluginOffer? {
    offers.first { $0.id == id && $0.kind == kind }
  }
}

/// One thing that a plugin offers.
public struct PluginOffer: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case operation
    case controller
    case specification
  }

  /// Which functions of an offer's instances the host keeps from running at the same time.
  public enum Threads: String, Sendable, Hashable {
    /// Those of one instance.
    case instance
    /// Those of all instances of the plugin.
    case plugin
  }

  public let kind: Kind
  /// `calendar.time-window`, or the plugin's own id.
  public let id: String
  /// One line.
  public let summary: String
  public let settings: [PluginSetting]
  /// The type of what is injected into an operation; nil where it takes nothing.
  public let requirement: ValueType?
  /// The type of an operation's result.
  public let result: ValueType
  /// The type of what a controller yields.
  public let states: ValueType
  public let threads: Threads
}

/// One setting of an offer: a member of `with:`.
public struct PluginSetting: Sendable, Hashable {
  public let name: String
  public let type: ValueType
  /// One line.
  public let summary: String
  public let isRequired: Bool
  public let defaultValue: JSONValue?
  /// The only values that it may have; nil where any value of the type will do.
  public let values: [JSONValue]?
}

import Values

/// What a plugin says about itself, checked: see "Description" in `plugin.h`.
public struct PluginDescription: Sendable, Hashable {
  /// `calendar`: the first part of the ids of its offers.
  public let id: String
  /// The plugin's own version, in its own notation: `1.2.0`.
  public let version: String
  /// What it is for, in one line.
  public let summary: String
  /// Who wrote it.
  public let author: String?
  /// What it may be used for, such as an SPDX expression.
  public let license: String?
  /// Where there is more about it.
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
  /// What an offer is made into.
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
}

/// One setting of an offer: a member of `with:`.
public struct PluginSetting: Sendable, Hashable {
  /// The member's name.
  public let name: String
  /// The type that its value must have.
  public let type: ValueType
  /// One line.
  public let summary: String
  /// Whether `with:` must hold it; never together with a default.
  public let isRequired: Bool
  /// What it is where `with:` does not say; filled in by ``PluginOffer/resolve(settings:)``.
  public let defaultValue: JSONValue?
  /// The only values that it may have; nil where any value of the type will do.
  public let values: [JSONValue]?
}

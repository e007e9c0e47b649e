import Values

/// A plugin's description of itself, checked: see "Description" in `plugin.h`.
public struct PluginDescription: Sendable, Hashable {
  /// The plugin's id, such as `calendar`: the first part of the ids of its offers.
  public let id: String
  /// The plugin's own version, in its own notation: `1.2.0`.
  public let version: String
  /// A one-line summary of its purpose.
  public let summary: String
  /// The author.
  public let author: String?
  /// The terms of use, such as an SPDX expression.
  public let license: String?
  /// The address of a page about it.
  public let homepage: String?
  /// The offers, in the order in which the plugin lists them.
  public let offers: [PluginOffer]
  /// The JSON that the plugin returned.
  public let source: JSONValue

  /// Returns the offer with this id and kind.
  public func offer(_ id: String, _ kind: PluginOffer.Kind) -> PluginOffer? {
    offers.first { $0.id == id && $0.kind == kind }
  }
}

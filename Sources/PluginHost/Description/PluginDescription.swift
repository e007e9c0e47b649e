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

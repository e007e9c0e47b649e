import Values

/// A use of a plugin in a pipeline: `uses` with its `with`.
public struct PluginUse: Sendable {
  /// The id of the offer, such as `calendar.time-window`.
  public var offer: String
  /// The settings in the file, in file order.
  public var settings: [(name: String, value: DataTemplate)]

  /// Creates a use of `offer` with these settings.
  public init(offer: String, settings: [(name: String, value: DataTemplate)] = []) {
    self.offer = offer
    self.settings = settings
  }

  /// The id of the plugin: the part before the dot.
  public var plugin: String { Self.plugin(of: offer) }

  package static func plugin(of offer: String) -> String {
    offer.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(offer[..<$0]) } ?? offer
  }

  /// Returns whether `text` can be the id of an offer: a plugin's id, or one followed by a dot and a name.
  static func isOfferID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { isPluginID($0) }
  }

  /// Returns whether `text` can be the id of a plugin.
  static func isPluginID(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, (97...122).contains(first), bytes.count <= 64 else { return false }
    return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
  }
}

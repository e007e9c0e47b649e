import Values

/// Something of a plugin that a pipeline uses: `uses` with its `with`.
public struct PluginUse: Sendable {
  /// The id of the offer, such as `calendar.time-window`.
  public var offer: String
  /// The settings that the file gives, in its order.
  public var settings: [(name: String, value: DataTemplate)]

  /// The use of `offer` with these settings.
  public init(offer: String, settings: [(name: String, value: DataTemplate)] = []) {
    self.offer = offer
    self.settings = settings
  }

  /// The id of the plugin: what comes before the point.
  public var plugin: String { Self.plugin(of: offer) }

  package static func plugin(of offer: String) -> String {
    offer.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(offer[..<$0]) } ?? offer
  }

  /// Whether `text` can be the id of an offer: a plugin's id, or one with a point and a name behind it.
  static func isOfferID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { isPluginID($0) }
  }

  /// Whether `text` can be the id of a plugin.
  static func isPluginID(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, (97...122).contains(first), bytes.count <= 64 else { return false }
    return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
  }
}

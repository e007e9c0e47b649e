import Values

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

import Values

/// One setting of an offer: a member of `with:`.
public struct PluginSetting: Sendable, Hashable {
  /// The member's name.
  public let name: String
  /// The type that its value must have.
  public let type: ValueType
  /// A one-line summary.
  public let summary: String
  /// Whether `with:` must have it; never true if there is a default.
  public let isRequired: Bool
  /// The value used if `with:` does not set it; filled in by ``PluginOffer/resolve(settings:)``.
  public let defaultValue: JSONValue?
  /// The only allowed values; nil if any value of the type is allowed.
  public let values: [JSONValue]?
}

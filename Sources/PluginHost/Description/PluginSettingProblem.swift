/// Something that is wrong with the settings of an offer: with one member of `with:`, or with the whole.
public struct PluginSettingProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which kind of mistake it is.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The offer has no setting of that name.
    case unknown = "unknown-setting"
    /// A required setting is not there.
    case missing = "missing-setting"
    /// The value is not of the setting's type, or not among its values.
    case invalid = "invalid-setting"
  }

  /// Which kind of mistake it is.
  public let code: Code
  /// The name of the member of `with:` that is wrong or missing; nil where `with:` itself is no object.
  public let setting: String?
  /// The way into the member's value to what is wrong, such as `[3].tag`; empty for the value itself.
  public let path: String
  /// What is wrong, in one sentence without a full stop; it names the setting and the offer.
  public let message: String
  /// What to do, such as `did you mean 'from'?`; nil where the message says enough.
  public let fix: String?

  /// The message and the fix in one line.
  public var description: String { fix.map { "\(message); \($0)" } ?? message }
}

/// Everything that is wrong with the settings of an offer.
public struct PluginSettingProblems: Error, Sendable, Hashable, CustomStringConvertible {
  /// At least one: first the members that are there, in their order, then the missing ones.
  public let problems: [PluginSettingProblem]

  /// All of them in one line.
  public var description: String { problems.map(\.description).joined(separator: "; ") }
}

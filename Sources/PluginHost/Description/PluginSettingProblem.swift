/// A problem with the settings of an offer: with one member of `with:`, or with the whole.
public struct PluginSettingProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of problem.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The offer has no setting of that name.
    case unknown = "unknown-setting"
    /// A required setting is missing.
    case missing = "missing-setting"
    /// The value is not of the setting's type, or not among its values.
    case invalid = "invalid-setting"
  }

  /// The kind of problem.
  public let code: Code
  /// The name of the member of `with:` that is wrong or missing; nil if `with:` itself is not an object.
  public let setting: String?
  /// The path within the member's value to the error, such as `[3].tag`; empty for the value itself.
  public let path: String
  /// What is wrong, in one sentence without a full stop; it names the setting and the offer.
  public let message: String
  /// How to fix it, such as `did you mean 'from'?`; nil if the message suffices.
  public let fix: String?

  /// The message and the fix on one line.
  public var description: String { fix.map { "\(message); \($0)" } ?? message }
}

/// All problems with the settings of an offer.
public struct PluginSettingProblems: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problems, at least one: first those of the members that are present, in order, then the missing ones.
  public let problems: [PluginSettingProblem]

  /// All problems on one line.
  public var description: String { problems.map(\.description).joined(separator: "; ") }
}

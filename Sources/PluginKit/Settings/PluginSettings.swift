/// The settings of an offer: the members of `with:` in a pipeline file.
///
/// ```swift
/// struct IntervalSettings: PluginSettings {
///   @Setting("How long from one run to the next") var every: Duration
///   @Setting("How much later at most, at random") var jitter = Duration.zero
///   @Setting("At most so many runs") var limit: Int?
/// }
/// ```
///
/// This one declaration provides names, types, defaults, required settings and their summaries, so that they cannot disagree. Every property must
/// be a ``Setting``; any other property is reported when the plugin is opened. The host checks the file against the description before a plugin
/// receives the settings; checks that only the plugin can make belong in ``validate()``.
///
/// In tests, create settings with ``init(settings:)``, or with `init()` and assignments.
public protocol PluginSettings: Decodable, Sendable {
  /// Creates settings with their defaults. Synthesized.
  init()

  /// Throws if the combination of settings is invalid, preferably a ``PluginProblem`` that names the setting and the reason. Does nothing by default.
  func validate() throws
}

extension PluginSettings {
  /// Accepts everything.
  public func validate() throws {}

  /// Creates the settings that a pipeline file with these members of `with:` yields.
  ///
  /// - Parameter members: An object of the settings' names and values; missing ones get their defaults.
  /// - Throws: ``PluginProblem`` with the code `invalid-settings` for a value of the wrong type, a missing required setting and an unknown one;
  ///   also the errors of ``validate()``.
  public init(settings members: JSONValue) throws {
    self = try SettingsShape(Self.self).decode(members)
  }
}

/// The settings of an offer that has none.
public struct NoSettings: PluginSettings {
  /// Creates an empty value.
  public init() {}
}

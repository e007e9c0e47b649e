/// The settings of an offer: what `with:` may hold in a pipeline file.
///
/// ```swift
/// struct IntervalSettings: PluginSettings {
///   @Setting("How long from one run to the next") var every: Duration
///   @Setting("How much later at most, at random") var jitter = Duration.zero
///   @Setting("At most so many runs") var limit: Int?
/// }
/// ```
///
/// That is all: names, types, defaults, which ones are required and what people read about them come from this one
/// declaration, so that they cannot disagree. Every property must be a ``Setting``; one that is not is reported when the
/// plugin is opened. The host has checked the file against the description before a plugin sees the settings; what only
/// the plugin can check belongs into ``validate()``.
///
/// In tests make them with ``init(settings:)``, or with `init()` and assignments.
public protocol PluginSettings: Decodable, Sendable {
  /// Settings that have their defaults. Comes by itself.
  init()

  /// Throws where the settings are not possible together, best a ``PluginProblem`` that says which of them and why. Does
  /// nothing by default.
  func validate() throws
}

extension PluginSettings {
  /// Accepts everything.
  public func validate() throws {}

  /// The settings that a pipeline file with these members of `with:` gives.
  ///
  /// - Parameter members: An object of the settings' names and values; those that are missing get their defaults.
  /// - Throws: ``PluginProblem`` with the code `invalid-settings` for a value of another type, for one that is required
  ///   and missing and for an unknown one, and what ``validate()`` throws.
  public init(settings members: JSONValue) throws {
    self = try SettingsShape(Self.self).decode(members)
  }
}

/// The settings of an offer that has none.
public struct NoSettings: PluginSettings {
  /// No settings.
  public init() {}
}

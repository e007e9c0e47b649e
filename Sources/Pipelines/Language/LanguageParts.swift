/// Parts of the language that came in later than the rest.
///
/// A key of a part that is not in ``available`` answers `not available in this version`, and stands neither in the JSON Schema nor
/// in the tables of the reference. Tests of the language read with all parts.
struct LanguageParts: OptionSet, Sendable {
  let rawValue: Int

  /// `specifications`.
  static let specifications = LanguageParts(rawValue: 1 << 0)
  /// `stale_when` of an operation.
  static let staleness = LanguageParts(rawValue: 1 << 1)
  /// `run_when`, `otherwise`, `wait_at_most`, and `wait` for a specification.
  static let gates = LanguageParts(rawValue: 1 << 2)
  /// `retry.early`.
  static let earlyRetry = LanguageParts(rawValue: 1 << 3)
  /// `automatic`, `rerun_on_change` and `stale_when` of a pipeline.
  static let automation = LanguageParts(rawValue: 1 << 4)
  /// `connected` and `foreground`.
  static let observers = LanguageParts(rawValue: 1 << 5)
  /// `plugins`, `uses`, `with` and a pipeline's `controllers`.
  static let plugins = LanguageParts(rawValue: 1 << 6)

  /// Everything that the language has a reading for.
  static let all: LanguageParts = [
    .specifications, .staleness, .gates, .earlyRetry, .automation, .observers, .plugins,
  ]

  /// What the engine of this version can act on.
  static let available: LanguageParts = .all
}

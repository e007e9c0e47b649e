import PluginKit

/// The settings of `uses: interval`.
struct IntervalSettings: PluginSettings {
  /// The origin from which instants are counted.
  enum Origin: String, CaseIterable, PluginValue {
    /// The beginning of 1970 in UTC: every host has the same instants, even after a restart.
    case epoch
    /// The start of the controller.
    case start
  }

  @Setting("The time from one run to the next; at least 10ms") var every: Duration
  @Setting("The maximum random delay of a run; shorter than 'every'") var jitter: Duration = .zero
  @Setting("Whether to also run once at the start") var immediately: Bool = false
  @Setting("Whether to count from the beginning of 1970 in UTC (epoch) or from the start of the host (start)")
  var align: Origin = .epoch

  func validate() throws {
    guard every >= .milliseconds(10) else {
      throw PluginProblem(
        "invalid-settings", setting: "every", "\(DurationNotation.format(every)) is too short; it must be at least 10ms"
      )
    }
    guard jitter < every else {
      throw PluginProblem(
        "invalid-settings", setting: "jitter",
        "\(DurationNotation.format(jitter)) must be shorter than 'every', \(DurationNotation.format(every))")
    }
  }
}

import PluginKit

/// The settings of `uses: calendar.time-window`.
struct TimeWindowSettings: PluginSettings {
  @Setting("The days on which it begins, such as mon-fri or sat,sun") var days: String = "all"
  @Setting("When it begins, such as 08:00") var from: String = "00:00"
  @Setting("When it ends; on the next day if that is before it begins") var to: String = "24:00"
  @Setting("The time zone: a name such as Europe/Berlin, UTC, or local for the computer's") var zone: String =
    "UTC"
}

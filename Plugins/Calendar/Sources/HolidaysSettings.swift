import PluginKit

/// The settings of `uses: calendar.holidays`.
struct HolidaysSettings: PluginSettings {
  @Setting(
    "An iCalendar file (.ics), read again when it changes; a relative path starts from the directory of the pipeline file"
  ) var file: String
  @Setting("The time zone of its days: a name such as Europe/Berlin, UTC, or local for the computer's")
  var zone: String = "UTC"

  func validate() throws {
    guard !file.isEmpty, !file.utf8.contains(0) else {
      throw PluginProblem("invalid-settings", setting: "file", "give the path of an iCalendar file")
    }
  }
}

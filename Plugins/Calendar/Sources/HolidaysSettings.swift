import PluginKit

/// What `with:` may hold for `uses: calendar.holidays`.
struct HolidaysSettings: PluginSettings {
  @Setting("The path of an iCalendar file (.ics); read again when it changes") var file: String
  @Setting("Where its days begin and end: a name such as Europe/Berlin, UTC, or local for the computer's")
  var zone: String = "UTC"

  func validate() throws {
    guard !file.isEmpty, !file.utf8.contains(0) else {
      throw PluginProblem("invalid-settings", "file: give the path of an iCalendar file")
    }
  }
}

import PluginKit
import Schedules

/// The setting `zone` of everything in this plugin.
enum ZoneSetting {
  /// The rules of the zone `name`, or a problem with the nearest name.
  static func rules(_ name: String) throws -> TimeZoneRules {
    let database = TimeZoneDatabase.system
    do throws(TimeZoneError) {
      return try database.zone(name)
    } catch {
      let message = database.explain(error) { NearestName.suggestion(for: $0, among: $1) }
      throw PluginProblem(error.code, setting: "zone", message)
    }
  }
}

/// When something changes, for people: the weekday within the next days, else the date.
func changeText(_ change: UnixTime, from now: UnixTime, in zone: TimeZoneRules) -> String {
  let time = zone.civilTime(at: change)
  let clock = time.description.split(separator: "T").last?.prefix(time.second == 0 ? 5 : 8) ?? ""
  let days = time.date.dayNumber - zone.civilTime(at: now).date.dayNumber
  return (0..<7).contains(days) ? "\(time.weekday.name) \(clock)" : "\(time.date) \(clock)"
}

import PluginKit
import Schedules

/// The setting `zone`, shared by all offers of this plugin.
enum ZoneSetting {
  /// Returns the rules of the zone `name`, or throws a problem that suggests the nearest name.
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

/// Returns the time of a change for people to read: the weekday within the next seven days, otherwise the date.
func changeText(_ change: UnixTime, from now: UnixTime, in zone: TimeZoneRules) -> String {
  let time = zone.civilTime(at: change)
  let clock = time.description.split(separator: "T").last?.prefix(time.second == 0 ? 5 : 8) ?? ""
  let days = time.date.dayNumber - zone.civilTime(at: now).date.dayNumber
  return (0..<7).contains(days) ? "\(time.weekday.name) \(clock)" : "\(time.date) \(clock)"
}

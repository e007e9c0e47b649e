import PluginKit

/// The standard plugin `calendar`: conditions on the hour, the day and the holidays.
package struct CalendarConditions: Plugin {
  package static let id = "calendar"
  package static let version = "1.0.0"
  package static let summary = "Conditions on the hour, the day and the holidays"
  package static let license: String? = "Apache-2.0"
  package static let offers: [Offer] = [
    .specification(
      "calendar.time-window", "Satisfied during certain hours on certain days of the week",
      TimeWindowSpecification.init(settings:)),
    .specification(
      "calendar.holidays", "Satisfied during the events of an iCalendar file",
      HolidaysSpecification.init(settings:)),
  ]
}

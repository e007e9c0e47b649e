import PluginKit
import Schedules

/// Satisfied during certain hours on certain days of the week.
struct TimeWindowSpecification: PredictableSpecification {
  private let window: TimeWindow

  init(settings: TimeWindowSettings) throws {
    let days: WeekdaySet
    let hours: DayHours
    do throws(WindowError) {
      days = try WeekdaySet(settings.days)
      hours = try DayHours(from: settings.from, to: settings.to)
    } catch {
      // The settings have the names of the parts.
      throw PluginProblem("invalid-window", setting: error.part.rawValue, error.description)
    }
    window = TimeWindow(days: days, hours: hours, zone: try ZoneSetting.rules(settings.zone))
  }

  func isSatisfied(in context: OperationContext) -> Bool {
    window.isOpen(at: context.pluginClock.now().seconds)
  }

  func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    ChangeTimer.subscribe(in: context, next: window.nextChange(after:), onChange: onChange)
  }

  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants? {
    var planned: [PlannedInstant] = []
    var at = span.after.seconds
    while let change = window.nextChange(after: at), change <= span.until.seconds {
      guard planned.count < span.limit else {
        return PlannedInstants(zone: window.zone.name, planned, hasMore: true)
      }
      planned.append(
        PlannedInstant(
          Timestamp(seconds: change), localTime: window.zone.format(change), value: window.isOpen(at: change)))
      at = change
    }
    return PlannedInstants(zone: window.zone.name, planned)
  }

  // The reason must hold until the value changes, so it names that moment rather than the present one.
  func description(in context: OperationContext) -> SpecificationDescription {
    let now = context.pluginClock.now().seconds
    let isOpen = window.isOpen(at: now)
    var reason = isOpen ? "open" : "closed"
    if let change = window.nextChange(after: now) {
      reason += " until \(changeText(change, from: now, in: window.zone)) in \(window.zone.name)"
    }
    return SpecificationDescription(
      formula: "time-window", reason: "\(reason) (\(window.hours), \(window.days))", isSatisfied: isOpen)
  }
}

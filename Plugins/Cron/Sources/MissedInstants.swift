import PluginKit
import Schedules

/// Instants of a schedule that were missed and are not caught up on: the latest 10,000 individually, earlier ones as a count.
struct MissedInstants {
  private(set) var older: (first: UnixTime, last: UnixTime, count: Int)?
  private(set) var named: [UnixTime] = []

  /// Creates the missed instants after `start` and before `end`.
  init(
    _ schedule: CronExpression, in zone: TimeZoneRules, after start: UnixTime, before end: UnixTime,
    naming most: Int = LeftOutInstants.most
  ) {
    // Backwards, so that the cost of a long absence is limited to the listed instants.
    var at = end
    while named.count < most, let instant = schedule.previous(before: at, in: zone), instant > start {
      named.append(instant)
      at = instant
    }
    named.reverse()
    guard let last = schedule.previous(before: at, in: zone), last > start,
      let first = schedule.next(after: start, in: zone)
    else { return }
    older = (first, last, schedule.count(after: start, upTo: last, in: zone))
  }

  func tell(_ controls: PluginControls<JSONValue>, because reason: LeftOutReason) {
    if let older { tell(controls, older.first, older.last, older.count, reason) }
    guard let first = named.first, let last = named.last else { return }
    let delivery = controls.leaveOut(.each(named.map { Timestamp(seconds: $0) }), because: reason)
    // A range counts as one.
    if delivery == .full { tell(controls, first, last, named.count, reason) }
  }

  private func tell(
    _ controls: PluginControls<JSONValue>, _ first: UnixTime, _ last: UnixTime, _ count: Int, _ reason: LeftOutReason
  ) {
    controls.leaveOut(
      .range(first: Timestamp(seconds: first), last: Timestamp(seconds: last), count: count), because: reason)
  }
}

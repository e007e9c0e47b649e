import PluginKit

/// Asks for a run at each instant of a grid.
///
/// The instant is the run's identity: of several hosts that count from the same origin only one runs it. Instants that
/// pass while the computer sleeps come down to one run, for the last of them.
struct IntervalController: TaskController {
  let settings: IntervalSettings

  func run(with controls: PluginControls<JSONValue>) async throws {
    let clock = controls.context.pluginClock
    var random = controls.context.operationRandom
    let reason = "every \(DurationNotation.format(settings.every))"
    let start = clock.now()
    let grid = InstantGrid(
      from: settings.align == .epoch ? Timestamp(seconds: 0) : start, every: settings.every)
    if settings.immediately { controls.rerun(reason: "\(reason), at the start") }
    var next = grid.first(after: start)
    while true {
      try await clock.sleep(atMostUntil: next.advanced(by: jitter(&random)))
      let now = clock.now()
      guard now >= next else {
        // The clock was set back. By less than a step: `next` is near enough still.
        guard now.duration(to: next) > settings.every else { continue }
        controls.context.pluginLog.warning(
          "the clock was set back; the intervals go on from there", ["now": .string(now.notation)])
        next = grid.first(after: now)
        continue
      }
      let due = max(next, grid.last(notAfter: now))
      let missed = due == next ? 0 : grid.count(between: next, and: due) + 1
      if missed > 0 {
        controls.context.pluginLog.warning(
          "\(missed) \(missed == 1 ? "instant has" : "instants have") passed unnoticed, such as while the computer slept",
          ["first": .string(next.notation), "count": .int(Int64(missed))])
      }
      controls.rerun(reason: reason, at: due)
      next = grid.first(after: due)
    }
  }

  private func jitter(_ random: inout OperationRandom) -> Duration {
    guard settings.jitter > .zero else { return .zero }
    return settings.jitter * Double.random(in: 0..<1, using: &random)
  }
}

import PluginKit

/// Requests a run at each instant of a grid.
///
/// The instant identifies the run: of several hosts that count from the same origin, only one runs it. Instants that pass while the computer sleeps
/// result in one run, for the last of them.
struct IntervalController: TaskController, PredictableController {
  let settings: IntervalSettings

  func run(with controls: PluginControls<JSONValue>) async throws {
    let clock = controls.context.pluginClock
    var random = controls.context.operationRandom
    let reason = "every \(DurationNotation.format(settings.every))"
    let start = clock.now()
    let grid = InstantGrid(
      from: settings.align == .epoch ? Timestamp(seconds: 0) : start, every: settings.every)
    // If counted from the start, there are no earlier instants.
    var memory = settings.align == .epoch ? IntervalMemory(controls.context, every: settings.every) : nil
    var handled = start
    if let last = await memory?.last() {
      // The jitter of an instant may have been interrupted by the end of the host or an edit of the file: it continues.
      let delayed = grid.last(notAfter: start)
      if delayed > last, delayed.duration(to: start) < settings.jitter {
        handled = delayed.advanced(by: .nanoseconds(-1))
      }
      leaveOut(grid, after: last, upTo: handled, controls)
    }
    await memory?.remember(handled)
    if settings.immediately { controls.rerun(reason: "\(reason), at the start") }
    var next = grid.first(after: handled)
    while true {
      try await clock.sleep(atMostUntil: next.advanced(by: jitter(&random)))
      let now = clock.now()
      guard now >= next else {
        // The clock was set back. If by less than a step, `next` is still close enough.
        guard now.duration(to: next) > settings.every else { continue }
        controls.context.pluginLog.warning(
          "the clock was set back; the intervals continue from there", ["now": .string(now.notation)])
        next = grid.first(after: now)
        continue
      }
      let due = max(next, grid.last(notAfter: now))
      let missed = due == next ? 0 : grid.count(between: next, and: due) + 1
      if missed > 0 {
        controls.context.pluginLog.warning(
          "missed \(missed) \(missed == 1 ? "instant" : "instants"), for example while the computer was asleep",
          ["first": .string(next.notation), "count": .int(Int64(missed))])
        leaveOut(grid, after: next.advanced(by: .nanoseconds(-1)), upTo: due.advanced(by: .nanoseconds(-1)), controls)
      }
      controls.rerun(reason: reason, at: due)
      await memory?.remember(due)
      next = grid.first(after: due)
    }
  }

  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants? {
    // The time of the start is not known in advance.
    guard settings.align == .epoch else { return nil }
    let grid = InstantGrid(from: Timestamp(seconds: 0), every: settings.every)
    return PlannedInstants(
      zone: "UTC",
      grid.instants(after: span.after, upTo: span.until, limit: span.limit).map { PlannedInstant($0) },
      hasMore: grid.count(after: span.after, upTo: span.until) > span.limit)
  }

  /// Reports that there is no run for these instants: the latest individually, earlier ones as a count.
  private func leaveOut(
    _ grid: InstantGrid, after start: Timestamp, upTo end: Timestamp, _ controls: PluginControls<JSONValue>
  ) {
    let named = grid.latest(LeftOutInstants.most, after: start, upTo: end)
    guard let first = named.first, let last = named.last else { return }
    let older = grid.count(after: start, upTo: end) - named.count
    if older > 0 {
      controls.leaveOut(
        .range(
          first: grid.first(after: start), last: grid.last(notAfter: first.advanced(by: .nanoseconds(-1))), count: older
        ),
        because: .hostDown)
    }
    let delivery = controls.leaveOut(.each(named), because: .hostDown)
    // A range counts as one.
    if delivery == .full {
      controls.leaveOut(.range(first: first, last: last, count: named.count), because: .hostDown)
    }
  }

  private func jitter(_ random: inout OperationRandom) -> Duration {
    guard settings.jitter > .zero else { return .zero }
    return settings.jitter * Double.random(in: 0..<1, using: &random)
  }
}

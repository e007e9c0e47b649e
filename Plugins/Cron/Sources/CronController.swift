import PluginKit
import Schedules

/// Requests a run at each instant of a schedule.
///
/// The instant identifies the run: if several hosts, or several starts of one, request it, only the first request runs it. So a run is requested
/// before that is stored; if the host dies in between, it is requested again, and run once.
struct CronController: TaskController, PredictableController {
  /// The limit, in seconds, of how far a stored instant may be ahead of the clock; beyond it, a wrong clock has written it.
  private static let believable: Int64 = 86_400

  let settings: CronSettings

  func run(with controls: PluginControls<JSONValue>) async throws {
    let (schedule, zone) = (try settings.expression(), try settings.rules())
    let (clock, log) = (controls.context.pluginClock, controls.context.pluginLog)
    let memory = CronMemory(
      controls.context.pluginStorage, pipeline: controls.context.pluginInput.pipeline, schedule: settings.schedule,
      zone: settings.zone)
    var random = controls.context.operationRandom
    let start = clock.now()
    // An instant whose delay may not have passed when the controller was ended is not late: its delay continues.
    var now = start.advanced(by: .zero - settings.jitter).seconds
    var (first, last) = await beginning(memory, controls, now: start.seconds)
    var read = clock.monotonic()
    while true {
      let (wall, elapsed) = (clock.now().seconds, clock.monotonic() - read)
      // Wakes may be up to a second early.
      if last - wall > Self.believable || wall + 1 < first {
        log.warning(
          "the clock was set back, from \(zone.format(last)) to \(zone.format(wall)); the schedule continues from there"
        )
        // It was set during the last sleep, and has shown every instant since.
        first = wall - elapsed.components.seconds
        (last, now) = (first, min(now, wall))
        await store(log) { try await memory.remember(beginning: Timestamp(seconds: first)) }
      }
      read += elapsed
      let due = settings.policy.due(schedule, in: zone, after: last, upTo: now)
      if due.hasMissed {
        warn(of: due, since: last, zone, log)
        let missed = MissedInstants(schedule, in: zone, after: last, before: due.instants.first ?? now + 1)
        missed.tell(controls, because: settings.catchUp == .all ? .catchUpLimit : .hostDown)
      }
      for instant in due.instants { rerun(controls, instant, now, zone) }
      if now > last {
        last = now
        if let instant = due.instants.last ?? (due.hasMissed ? now : nil) {
          await store(log) { try await memory.remember(Timestamp(seconds: instant)) }
        }
      }
      guard let next = schedule.next(after: max(now, last), in: zone) else { return }
      // Of an instant whose delay has been going on since before this start, at least that time has passed.
      let passed = min(Timestamp(seconds: next).duration(to: clock.now()), settings.jitter)
      let delay = max(jitter(&random), passed)
      try await clock.sleep(atMostUntil: Timestamp(seconds: next).advanced(by: delay))
      // Subtract the delay, so that it makes no instant late. The result is before the instant if the clock was set back; a difference of less than
      // a second is ignored.
      now = clock.now().advanced(by: .zero - delay).seconds
      if now + 1 >= next { now = max(next, now) }
    }
  }

  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants? {
    let (schedule, zone) = (try settings.expression(), try settings.rules())
    let (planned, hasMore) = schedule.plan(
      after: span.after.seconds, upTo: span.until.seconds, in: zone, limit: span.limit)
    return PlannedInstants(
      zone: zone.name,
      planned.map {
        PlannedInstant(
          Timestamp(seconds: $0.instant), localTime: zone.format($0.instant), isSkipped: $0.isSkipped, note: $0.note)
      }, hasMore: hasMore)
  }

  /// Returns the instants between which everything was dealt with before this start. An earlier version did not store the first one.
  private func beginning(
    _ memory: CronMemory, _ controls: PluginControls<JSONValue>, now: UnixTime
  ) async -> (first: UnixTime, last: UnixTime) {
    do {
      if let last = try await memory.last() { return (try await memory.first()?.seconds ?? .min, last.seconds) }
      // First use of this schedule: instants count from now on, even if the host ends before the first one.
      try await memory.remember(beginning: Timestamp(seconds: now))
      return (now, now)
    } catch PluginAccessProblem.unavailable {
      // Without a workspace, the last run at least shows what need not be caught up on.
      return (.min, controls.context.pluginInput.lastRun?.startedAt?.seconds ?? now)
    } catch {
      controls.context.pluginLog.warning("cannot determine which instants were missed before this start: \(error)")
      return (.min, now)
    }
  }

  private func rerun(
    _ controls: PluginControls<JSONValue>, _ instant: UnixTime, _ now: UnixTime, _ zone: TimeZoneRules
  ) {
    let isLate = now - instant > CatchUp.punctuality
    let time = zone.format(instant)
    var fields: [String: JSONValue] = [
      "schedule": .string(settings.schedule), "zone": .string(zone.name), "local_time": .string(time),
    ]
    if isLate { fields["catch_up"] = true }
    controls.rerun(
      reason: "'\(settings.schedule)' was due at \(time)" + (isLate ? ", run late" : ""),
      at: Timestamp(seconds: instant), fields: fields)
  }

  private func store(_ log: PluginLog, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch PluginAccessProblem.unavailable {
      return
    } catch {
      log.warning("cannot record which instants of '\(settings.schedule)' were handled: \(error)")
    }
  }

  private func warn(of due: CatchUp.Due, since last: UnixTime, _ zone: TimeZoneRules, _ log: PluginLog) {
    let why =
      switch settings.catchUp {
      case .none: "are skipped because catch_up is none"
      case .last: "are skipped except the last because catch_up is last"
      case .all: "are skipped except the latest \(settings.catchUpLimit) because of catch_up_limit"
      }
    log.warning(
      "instants of '\(settings.schedule)' after \(zone.format(last)) were missed and \(why)",
      ["schedule": .string(settings.schedule), "zone": .string(zone.name)])
  }

  private func jitter(_ random: inout OperationRandom) -> Duration {
    guard settings.jitter > .zero else { return .zero }
    return settings.jitter * Double.random(in: 0..<1, using: &random)
  }
}

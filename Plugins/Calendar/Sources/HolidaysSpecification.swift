import LinuxObservers
import PluginKit
import Schedules

/// Satisfied during the events of a calendar file; unknown while the file cannot be read.
struct HolidaysSpecification: DeferredSpecification, PredictableSpecification {
  /// The path as written in the settings.
  private let path: String
  private let file = CalendarFile()
  private let zone: TimeZoneRules

  init(settings: HolidaysSettings) throws {
    path = settings.file
    zone = try ZoneSetting.rules(settings.zone)
  }

  private func moment(in context: OperationContext) -> ICalendar.Moment? {
    guard case .calendar(let calendar) = file.content else { return nil }
    return calendar.moment(at: context.pluginClock.now().seconds, in: zone)
  }

  func hasAnswer(in context: OperationContext) -> Bool {
    if case .unread = file.content { false } else { true }
  }

  func isSatisfied(in context: OperationContext) -> Bool { value(in: context) == true }

  func value(in context: OperationContext) -> Bool? { moment(in: context)?.isTaken }

  func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Not before the start, which provides the directory of the pipeline file. A file that is missing then may still appear.
    let path = context.pluginInput.path(path)
    let watch = watch(path, context) { continuation.yield() }
    // After the watch has started, so that a change meanwhile is noticed.
    continuation.yield()
    let task = Task {
      var timer: OperationSubscription?
      for await _ in stream {
        guard !Task.isCancelled else { break }
        if file.readIfChanged(path) {
          if case .failure(let reason) = file.content { context.pluginLog.error(reason) }
          // The old timer belongs to the old content.
          timer?.cancel()
          timer = ChangeTimer.subscribe(in: context, next: nextChange(after:), onChange: onChange)
          onChange()
        }
      }
      timer?.cancel()
    }
    return OperationSubscription {
      watch?.cancel()
      continuation.finish()
      task.cancel()
    }
  }

  private func watch(
    _ path: String, _ context: OperationContext, _ body: @escaping @Sendable () -> Void
  ) -> OperationSubscription? {
    do throws(ObserverError) {
      return try DirectoryWatches.shared.subscribe(toDirectoryOf: path, body)
    } catch {
      context.pluginLog.warning("cannot watch '\(path)' for changes: \(error)")
      return nil
    }
  }

  /// Returns when the next holiday begins or ends. A calendar covers two years ahead, so it is checked again after one.
  private func nextChange(after now: UnixTime) -> UnixTime? {
    guard case .calendar(let calendar) = file.content else { return nil }
    return calendar.moment(at: now, in: zone).until ?? now + 366 * 86_400
  }

  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants? {
    let file = CalendarFile()
    _ = file.readIfChanged(input.path(path))
    guard case .calendar(let calendar) = file.content else { return nil }
    var planned: [PlannedInstant] = []
    var at = span.after.seconds
    var isTaken = calendar.moment(at: at, in: zone).isTaken
    while at < span.until.seconds {
      // A calendar covers two years ahead.
      let next = calendar.moment(at: at, in: zone).until ?? at + 366 * 86_400
      guard next <= span.until.seconds else { break }
      at = next
      let isTakenThen = calendar.moment(at: at, in: zone).isTaken
      guard isTakenThen != isTaken else { continue }
      isTaken = isTakenThen
      guard planned.count < span.limit else { return PlannedInstants(zone: zone.name, planned, hasMore: true) }
      planned.append(PlannedInstant(Timestamp(seconds: at), localTime: zone.format(at), value: isTaken))
    }
    return PlannedInstants(zone: zone.name, planned)
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    SpecificationDescription(
      formula: "holidays", reason: reason(context), isSatisfied: value(in: context))
  }

  private func reason(_ context: OperationContext) -> String {
    switch file.content {
    case .unread: return "'\(path)' has not been read yet"
    case .failure(let reason): return reason
    case .calendar(let calendar):
      let now = context.pluginClock.now().seconds
      let moment = calendar.moment(at: now, in: zone)
      let names = moment.summaries.filter { !$0.isEmpty }.joined(separator: ", ")
      let what = !moment.isTaken ? "no holiday" : names.isEmpty ? "a holiday" : names
      guard let until = moment.until else { return "\(what) in \(zone.name), and none for two years" }
      return "\(what) until \(changeText(until, from: now, in: zone)) in \(zone.name)"
    }
  }
}

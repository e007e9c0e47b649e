import PipelineEngine
import Values

extension HostLog {
  /// Logs how late the event loop of a host was since it began.
  package func tell(_ lateness: LoopLateness) {
    let (turns, timers) = (lateness.turns, lateness.timers)
    tell(
      .info, "lateness",
      "of \(turns.count) turns of the event loop, 99.9 % took \(turns.p999.milliseconds) ms at most, the longest \(turns.maximum.milliseconds) ms; of \(timers.count) timers, 99.9 % were \(timers.p999.milliseconds) ms late at most, the latest \(timers.maximum.milliseconds) ms",
      figures: [("turns", turns.json), ("timers", timers.json)])
  }
}

extension LoopLateness.Figures {
  fileprivate var json: JSONValue {
    [
      "count": JSONValue(count), "median_ms": .double(median.milliseconds), "p99_ms": .double(p99.milliseconds),
      "p999_ms": .double(p999.milliseconds), "maximum_ms": .double(maximum.milliseconds),
    ]
  }
}

extension Duration {
  /// To the microsecond.
  fileprivate var milliseconds: Double { Double((self / .microseconds(1)).rounded()) / 1000 }
}

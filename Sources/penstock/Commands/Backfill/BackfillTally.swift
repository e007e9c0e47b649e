import RunHistory
import Values

/// What has become of the instants of a backfill so far.
struct BackfillTally {
  let count: Int
  var succeeded = 0
  var failed = 0
  /// Those whose run had succeeded already.
  var before = 0
  /// Those whose run goes on in another process.
  var elsewhere = 0
  private(set) var goesOn = true
  private var isCancelled = false

  init(of count: Int) { self.count = count }

  /// Counts a run that has ended. One that a signal has cancelled is the last one.
  mutating func add(_ run: RunRecord, isInterrupted: Bool, stopsOnFailure: Bool) {
    if run.state == .succeeded { succeeded += 1 } else { failed += 1 }
    isCancelled = isInterrupted
    if isInterrupted || stopsOnFailure && run.state != .succeeded { goesOn = false }
  }

  private var left: Int { count - succeeded - failed - before - elsewhere }

  var text: String {
    var parts = ["\(succeeded) succeeded"]
    if before > 0 { parts.append("\(before) had succeeded before") }
    if failed > 0 { parts.append("\(failed) did not succeed") }
    if elsewhere > 0 { parts.append("\(elsewhere) \(elsewhere == 1 ? "goes" : "go") on elsewhere") }
    if left > 0 { parts.append("\(left) left") }
    let advice = status == .succeeded ? "" : "; the same command runs what has not succeeded"
    return "\(Count.of(count, "instant")): " + parts.joined(separator: ", ") + advice
  }

  var jsonValue: JSONValue {
    [
      "event": "backfill", "instants": JSONValue(count), "succeeded": JSONValue(succeeded), "before": JSONValue(before),
      "failed": JSONValue(failed), "elsewhere": JSONValue(elsewhere), "left": JSONValue(left),
    ]
  }

  var status: ExitStatus {
    if isCancelled { return .cancelled }
    return succeeded + before == count ? .succeeded : .failed
  }
}

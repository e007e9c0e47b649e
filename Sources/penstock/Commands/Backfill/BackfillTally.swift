import PipelineLanguage
import RunHistory
import Values

/// The outcomes of a backfill's instants so far.
struct BackfillTally {
  let count: Int
  var succeeded = 0
  /// The number of instants whose run had already succeeded.
  var before = 0
  /// The number of instants whose run is active in another process.
  var elsewhere = 0
  /// The instants whose run did not succeed, with these runs.
  private(set) var failures: [(instant: RecordTime, run: RunRecord)] = []
  private(set) var goesOn = true
  private var isCancelled = false

  init(of count: Int) { self.count = count }

  /// Adds a run that has ended. A run cancelled by a signal is the last one.
  mutating func add(_ run: RunRecord, for instant: RecordTime, isInterrupted: Bool, stopsOnFailure: Bool) {
    if run.state == .succeeded { succeeded += 1 } else { failures.append((instant, run)) }
    isCancelled = isInterrupted
    if isInterrupted || stopsOnFailure && run.state != .succeeded { goesOn = false }
  }

  private var failed: Int { failures.count }
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

  /// Returns a line for each of the first instants whose run did not succeed, with the command that explains why.
  /// `clock` formats an instant.
  func failureLines(clock: (RecordTime) throws -> String) rethrows -> [String] {
    var lines = try failures.prefix(Self.mostLines).map { instant, run in
      "  \(try clock(instant)) \(run.state.rawValue): \(CommandHint.command("penstock explain \(run.id.short)"))"
    }
    if failed > Self.mostLines, let pipeline = failures.first?.run.pipeline {
      let states = Set(failures.map(\.run.state.rawValue)).sorted().joined(separator: ",")
      lines.append(
        "  … \(failed - Self.mostLines) more: penstock history list --pipeline \(ShellText.quoted(pipeline)) --state \(states)"
      )
    }
    return lines
  }

  /// The maximum number of instants that are named.
  private static let mostLines = 10

  var jsonValue: JSONValue {
    [
      "event": "backfill", "instants": JSONValue(count), "succeeded": JSONValue(succeeded), "before": JSONValue(before),
      "failed": JSONValue(failed), "elsewhere": JSONValue(elsewhere), "left": JSONValue(left),
      "failures": .array(
        failures.map { instant, run in
          ["at": .string(instant.text), "run": .string(run.id.text), "state": .string(run.state.rawValue)]
        }),
    ]
  }

  var status: ExitStatus {
    if isCancelled { return .cancelled }
    return succeeded + before == count ? .succeeded : .failed
  }
}

import PipelineLanguage
import RunHistory

/// Describes in words why an operation is in its state.
package enum StateReason {
  /// Returns the word for its state. "Cancelled" is used only for what a person or a time limit cancelled; an operation that never began because of others
  /// is "not run".
  package static func word(of record: OperationRecord) -> String {
    guard record.state == .cancelled else { return record.state.rawValue }
    return switch record.operationReason {
    case .dependencies?, .runNotStarted?: notRun
    case .itemsFailed? where record.attempts == 0: notRun
    default: record.state.rawValue
    }
  }

  /// The word for an operation that never began because of others.
  package static let notRun = "not run"

  /// Returns the text that follows the word of the state: `for a free slot`, `exit code 7`. Empty if the state is sufficient.
  /// Future times are relative to `now`; nil omits them, so that printed text stays true.
  package static func text(of record: OperationRecord, now: RecordTime?) -> String {
    switch record.state {
    case .pending, .succeeded: return ""
    case .running: return shortage(of: record) ?? executor(of: record).map { $0.text(now: now) } ?? ""
    case .waiting: return waiting(record, now: now)
    case .retrying: return retrying(record, now: now)
    case .failed: return record.error?.message ?? record.reason ?? ""
    case .cancelled: return cancelled(record)
    case .skipped: return skipped(record)
    case .reused: return record.reusedFrom.map { "from run \($0.short)" } ?? ""
    }
  }

  /// Returns what an operation that holds up its run waits for, to follow its name: `waits for approval: deploy?`. It contains no relative times.
  static func standstill(of record: OperationRecord) -> String {
    switch record.state {
    case .running: shortage(of: record) ?? executor(of: record)?.text(now: nil) ?? ""
    case .retrying: "waits for a " + retrying(record, now: nil, isStandstill: true)
    default: "waits " + text(of: record, now: nil)
    }
  }

  /// Returns the separator between the word of a state and the text after it: a space if the text continues the sentence, as in `cancelled with the run`,
  /// else a colon.
  package static func joint(before text: String) -> String {
    ["with ", "by ", "because ", "from "].contains { text.hasPrefix($0) } ? " " : ": "
  }

  /// Returns the error of an attempt, when the next one was due, and what brought it forward. Empty if it succeeded.
  /// A message longer than `width` columns is cut.
  package static func text(of attempt: AttemptRecord, width: Int = .max) -> String {
    var text = TerminalText.fitted(TerminalText.oneLine(attempt.error?.message ?? ""), width: width)
    if let delay = attempt.retryDelay {
      text += "\(text.isEmpty ? "" : "; ")the next was due in \(DurationText.format(microseconds: delay))"
    }
    switch attempt.wakeCause {
    case nil, "delay"?: break
    case "wake"?: text += ", and was started early by 'penstock wake'"
    case let cause?: text += ", and was started early by \(cause)"
    }
    return text
  }

  /// Returns the specification that it waits for, or did when its host ended, and why: `for connected: connected is false`. Empty if there is none.
  static func specification(of record: OperationRecord) -> String {
    record.operationReason?.specification.map(text) ?? ""
  }

  /// Returns what would bring a waiting retry forward.
  static func early(of record: OperationRecord) -> [OperationReason.Early] {
    if case .retry(let retry)? = record.operationReason { retry.early } else { [] }
  }

  /// Describes what ``early(of:)`` returns: `connected turns true or inbox turns true again`.
  static func turns(_ early: [OperationReason.Early]) -> String {
    early.map {
      switch $0 {
      case .event(_, let text): text
      case .specification(let formula, let value, _): "\(formula) turns true\(value ? " again" : "")"
      }
    }.joined(separator: " or ")
  }

  /// Returns the resource shortage that a running operation waits for; nil if there is none.
  static func shortage(of record: OperationRecord) -> String? {
    if case .shortage(let why)? = record.operationReason { "waits for system resources: \(why)" } else { nil }
  }

  /// Returns the wait of a running operation for its executor; nil if there is none.
  static func executor(of record: OperationRecord) -> OperationReason.ExecutorWait? {
    if case .executor(let wait)? = record.operationReason, record.state == .running { wait } else { nil }
  }

  /// Returns the command that answers the question of a waiting operation.
  package static func answer(to record: OperationRecord) -> String? {
    if case .approval(let question)? = record.operationReason { question.command } else { nil }
  }

  /// Returns the number of items of a loop that has begun.
  package static func items(of record: OperationRecord) -> Int64? {
    if case .items(let count)? = record.operationReason { count } else { nil }
  }

  private static func waiting(_ record: OperationRecord, now: RecordTime?) -> String {
    let reason = record.operationReason
    switch reason {
    case .specification(let specification)?: return text(specification)
    case .time(let time)?:
      guard let due = time.due else { return "for a time" }
      return "until \(moment(due, of: record, now: now))" + (now.map { " (\(distance(from: $0, to: due)))" } ?? "")
    case .gate(let specification)?:
      let until = specification.due.map { ", until \(moment($0, of: record, now: now)) at most" } ?? ""
      return text(specification) + until
    case .approval(let question)?: return "for approval" + (question.message.map { ": \($0)" } ?? "")
    case .round(let round)?:
      let due = round.due.flatMap { due in now.map { " \(distance(from: $0, to: due))" } } ?? ""
      return "for round \(round.number ?? Int64(record.attempts + 1))\(due)"
    case .concurrency?: return "for a free slot"
    case .place?: return "for a run slot of its host"
    case .resources(let names)?:
      return "for " + (names.isEmpty ? "resources" : names.joined(separator: ", "))
    case .exclusive(let exclusive)?:
      let name = exclusive.name.map { "'\($0)'" } ?? "an exclusive name"
      let holder = exclusive.holder.map { ", held by \($0)" } ?? ""
      let process = exclusive.process.map { " (process \($0))" } ?? ""
      return "for \(name)\(holder)\(process)"
    default: return reason?.code.map { "for \($0)" } ?? ""
    }
  }

  /// Formats a future time. Without `now`, it is formatted relative to the time at which the wait began.
  private static func moment(_ time: RecordTime, of record: OperationRecord, now: RecordTime?) -> String {
    ClockText.moment(time, seenFrom: now ?? record.waitingSince ?? .now)
  }

  private static func text(_ specification: OperationReason.Specification) -> String {
    "for \(specification.formula)" + (specification.why.map { ": \($0)" } ?? "")
  }

  private static func retrying(
    _ record: OperationRecord, now: RecordTime?, isStandstill: Bool = false
  ) -> String {
    var retry = OperationReason.Retry(attempt: nil)
    if case .retry(let recorded)? = record.operationReason { retry = recorded }
    var text = "retry"
    if isStandstill {
      if let due = retry.due { text += " until \(ClockText.dateAndTime(due))" }
    } else if let now, let due = retry.due {
      text += " " + distance(from: now, to: due)
    } else if let delay = retry.delay {
      text += " in " + DurationText.format(microseconds: delay.multipliedSaturating(by: 1000))
    }
    let turns = turns(retry.early)
    if !turns.isEmpty { text += ", or when \(turns)" }
    let next = (retry.attempt ?? Int64(record.attempts)) + 1
    text += " (attempt \(next)" + (retry.last.map { " of \($0)" } ?? "") + ")"
    return text + (record.error.map { ": \($0.message)" } ?? "")
  }

  private static func cancelled(_ record: OperationRecord) -> String {
    switch record.operationReason {
    case .runCancelled?, nil: "with the run"
    case .runTimeout?: "by the timeout of the run"
    case .runNotStarted?: "the run did not begin"
    case .dependencies(.cancelled, let names)?:
      names.map { "'\($0)'" }.joined(separator: ", ") + (names.count == 1 ? " was not run" : " were not run")
    case .itemsFailed(let count, let loop)?: "\(count) \(count == 1 ? "item" : "items") of '\(loop)' failed"
    default: record.error?.message ?? record.reason ?? ""
    }
  }

  private static func skipped(_ record: OperationRecord) -> String {
    let reason = record.operationReason
    switch reason {
    case .condition(let condition)?: return conditionIsFalse(condition)
    case .gate(let specification)?:
      return "\(specification.formula) was not true" + (specification.why.map { ": \($0)" } ?? "")
    case .notSelected?: return "it was not selected (--only or --from)"
    case .dependencies(_, let names)?: return wereSkipped(names)
    default: return reason?.code ?? ""
    }
  }

  private static func wereSkipped(_ names: [String]) -> String {
    "\(names.map { "'\($0)'" }.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") skipped"
  }

  /// Returns, for example, `params.x == 1 is false`; a condition that is literally `false` is not repeated.
  package static func conditionIsFalse(_ condition: String?) -> String {
    guard let condition, condition.lowercased() != "false" else { return "its condition is false" }
    return "\(condition) is false"
  }

  private static func distance(from now: RecordTime, to due: RecordTime) -> String {
    due > now ? "in " + DurationText.format(microseconds: due.microseconds - now.microseconds) : "now"
  }
}

extension OperationReason {
  /// Whether a wait for it ends by itself sooner or later, rather than when a person answers or others release something.
  var passesByItself: Bool {
    switch self {
    case .approval, .shortage, .resources, .exclusive, .place: false
    default: true
    }
  }
}

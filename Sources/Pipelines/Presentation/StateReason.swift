import Values

/// Why an operation is in its state, in words.
package enum StateReason {
  /// What follows the word of the state: `for a free slot`, `exit code 7`. Empty where the state says it all.
  /// Times to come are counted from `now`; nil leaves them out, so that the text stays true when it is printed.
  package static func text(of record: OperationRecord, now: RecordTime?) -> String {
    switch record.state {
    case .pending, .running, .succeeded: return ""
    case .waiting: return waiting(record, now: now)
    case .retrying: return retrying(record, now: now)
    case .failed: return record.error?.message ?? record.reason ?? ""
    case .cancelled: return cancelled(record)
    case .skipped: return skipped(record)
    case .reused: return record.reusedFrom.map { "from run \($0.short)" } ?? ""
    }
  }

  /// What an attempt failed with, when the next one was to come, and what brought that forward. Empty where it succeeded.
  /// A message longer than `width` columns is cut.
  package static func text(of attempt: AttemptRecord, width: Int = .max) -> String {
    var text = TerminalText.fitted(TerminalText.oneLine(attempt.error?.message ?? ""), width: width)
    if let delay = attempt.retryDelay {
      text += "\(text.isEmpty ? "" : "; ")the next was to come in \(DurationText.format(microseconds: delay))"
    }
    if let cause = attempt.wakeCause, cause != "delay" { text += ", and was brought forward by \(cause)" }
    return text
  }

  /// When the wait is over, as far as that is known.
  package static func due(of record: OperationRecord) -> RecordTime? {
    detail(of: record)["due"]?.stringValue.flatMap(TimestampNotation.parse).map(RecordTime.init(secondsSince1970:))
  }

  /// The specification that it waits for, or did when its host ended, and why: `for connected: connected is false`. Empty where it did not.
  static func specification(of record: OperationRecord) -> String {
    let detail = detail(of: record)
    return detail["formula"] == nil ? "" : specification(detail)
  }

  /// What would bring a waiting retry forward: a formula that turns true, or an event in words.
  struct Early {
    var formula: String
    /// What the formula is now, and why.
    var value: Bool
    var why: String
    /// `h:80 can be reached again`; nil for a formula.
    var event: String?
  }

  /// What would bring a waiting retry forward.
  static func early(of record: OperationRecord) -> [Early] {
    let all = detail(of: record)["early"]?.arrayValue ?? []
    return all.map {
      Early(
        formula: $0["formula"]?.stringValue ?? "", value: $0["value"] == .bool(true),
        why: $0["why"]?.stringValue ?? "", event: $0["event"]?.stringValue)
    }
  }

  /// `connected turns true or inbox turns true again`, of what ``early(of:)`` finds.
  static func turns(_ early: [Early]) -> String {
    early.map { $0.event ?? "\($0.formula) turns true\($0.value ? " again" : "")" }.joined(separator: " or ")
  }

  /// Why a failed operation was not tried again, where that is not plain; nil where it is.
  static func withoutRetry(_ record: OperationRecord) -> String? {
    detail(of: record)["no_retry"]?.stringValue
  }

  /// The particulars of the reason; null where there are none.
  package static func detail(of record: OperationRecord) -> JSONValue {
    record.detail.flatMap { try? JSONValue.parse($0) } ?? .null
  }

  /// The operations that the reason names.
  package static func culprits(of record: OperationRecord) -> [String] {
    detail(of: record)["dependencies"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  private static func waiting(_ record: OperationRecord, now: RecordTime?) -> String {
    let detail = detail(of: record)
    switch record.reason {
    case "wait" where detail["formula"] != nil: return specification(detail)
    case "wait":
      guard let due = due(of: record) else { return "for a time" }
      return "until \(moment(due, of: record, now: now))" + (now.map { " (\(distance(from: $0, to: due)))" } ?? "")
    case "run_when":
      let until = due(of: record).map { ", until \(moment($0, of: record, now: now)) at most" } ?? ""
      return specification(detail) + until
    case "approval": return "for approval: \(detail["message"]?.stringValue ?? "")"
    case "concurrency": return "for a free slot"
    case "resources":
      let names = detail["resources"]?.arrayValue?.compactMap(\.stringValue) ?? []
      return "for " + (names.isEmpty ? "resources" : names.joined(separator: ", "))
    case "exclusive":
      let name = detail["exclusive"]?.stringValue.map { "'\($0)'" } ?? "an exclusive name"
      let holder = detail["holder"]?.stringValue.map { ", held by \($0)" } ?? ""
      let process = detail["process"]?.intValue.map { " (process \($0))" } ?? ""
      return "for \(name)\(holder)\(process)"
    case let reason?: return "for \(reason)"
    case nil: return ""
    }
  }

  /// A time to come. Where `now` is left out, it is read beside the time at which the wait began.
  private static func moment(_ time: RecordTime, of record: OperationRecord, now: RecordTime?) -> String {
    ClockText.moment(time, seenFrom: now ?? record.waitingSince ?? .now)
  }

  private static func specification(_ detail: JSONValue) -> String {
    "for \(detail["formula"]?.stringValue ?? "its specification")"
      + (detail["why"]?.stringValue.map { ": \($0)" } ?? "")
  }

  private static func retrying(_ record: OperationRecord, now: RecordTime?) -> String {
    let detail = detail(of: record)
    var text = "retry"
    if let now, let due = due(of: record) {
      text += " " + distance(from: now, to: due)
    } else if let delay = detail["delay_ms"]?.intValue {
      text += " in " + DurationText.format(microseconds: delay.multipliedSaturating(by: 1000))
    }
    let turns = turns(early(of: record))
    if !turns.isEmpty { text += ", or when \(turns)" }
    let next = (detail["attempt"]?.intValue ?? Int64(record.attempts)) + 1
    text += " (attempt \(next)" + (detail["of"]?.intValue.map { " of \($0)" } ?? "") + ")"
    return text + (record.error.map { ": \($0.message)" } ?? "")
  }

  private static func cancelled(_ record: OperationRecord) -> String {
    switch record.reason {
    case "run-cancelled", nil: "with the run"
    case "run-timeout": "because the time of the run was up"
    case "run-not-started": "because the run did not begin"
    default: record.error?.message ?? record.reason ?? ""
    }
  }

  private static func skipped(_ record: OperationRecord) -> String {
    switch record.reason {
    case "condition":
      "because \(conditionIsFalse(detail(of: record)["when"]?.stringValue))"
    case "run_when":
      "because \(detail(of: record)["formula"]?.stringValue ?? "its specification") was not true"
        + (detail(of: record)["why"]?.stringValue.map { ": \($0)" } ?? "")
    case "not-selected": "because it was not chosen"
    case "dependency-skipped":
      because(skipped: culprits(of: record))
    case let reason?: reason
    case nil: ""
    }
  }

  private static func because(skipped names: [String]) -> String {
    "because \(names.map { "'\($0)'" }.joined(separator: ", ")) \(names.count == 1 ? "was" : "were") skipped"
  }

  /// `params.x == 1 is false`; a condition that says `false` itself is not repeated.
  package static func conditionIsFalse(_ condition: String?) -> String {
    guard let condition, condition.lowercased() != "false" else { return "its condition is false" }
    return "\(condition) is false"
  }

  private static func distance(from now: RecordTime, to due: RecordTime) -> String {
    due > now ? "in " + DurationText.format(microseconds: due.microseconds - now.microseconds) : "now"
  }
}

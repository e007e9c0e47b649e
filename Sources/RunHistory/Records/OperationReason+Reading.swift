import Values

extension OperationReason {
  /// Parses what ``code`` and ``detail(_:gate:label:again:artifacts:masking:)`` wrote, in this version, an earlier or a later one; nil if there is no reason.
  package init?(code: String?, detail: JSONValue?, state: OperationState) {
    let detail = detail ?? .null
    guard let code else {
      guard let reason = Self.withoutCode(detail) else { return nil }
      self = reason
      return
    }
    if state == .failed {
      self = .failed(code: code, notRetried: detail[DetailKey.notRetried]?.stringValue.map(NotRetried.init(text:)))
    } else if let dependency = Dependency(rawValue: code) {
      self = .dependencies(dependency, Self.texts(detail[DetailKey.dependencies]))
    } else if let known = Code(rawValue: code) {
      self.init(known, detail)
    } else {
      self = .other(code: code, detail: Self.unknown(detail))
    }
  }

  private init(_ code: Code, _ detail: JSONValue) {
    switch code {
    case .concurrency: self = .concurrency
    case .place: self = .place
    case .resources: self = .resources(Self.texts(detail[DetailKey.resources]))
    case .exclusive:
      self = .exclusive(
        Exclusive(
          name: detail[DetailKey.exclusive]?.stringValue, holder: detail[DetailKey.holder]?.stringValue,
          process: detail[DetailKey.process]?.intValue))
    case .wait: self = Self.wait(detail)
    case .gate: self = .gate(Specification(detail))
    case .approval: self = .approval(Question(detail))
    case .retry: self = .retry(Retry(detail))
    case .round: self = .round(Round(detail))
    case .shortage: self = .shortage(detail[DetailKey.why]?.stringValue ?? "")
    case .executor: self = .executor(ExecutorWait(detail))
    case .condition: self = .condition(detail[DetailKey.when]?.stringValue)
    case .notSelected: self = .notSelected
    case .runCancelled: self = .runCancelled
    case .runTimeout: self = .runTimeout
    case .runNotStarted: self = .runNotStarted
    case .itemsFailed:
      self = .itemsFailed(
        detail[DetailKey.failedItems]?.intValue ?? 0, of: detail[DetailKey.loop]?.stringValue ?? "")
    case .fresh: self = .fresh(from: detail[DetailKey.from]?.stringValue.flatMap { RunID($0) })
    case .takenOver: self = .takenOver(from: detail[DetailKey.from]?.stringValue.flatMap { RunID($0) })
    }
  }

  private static func wait(_ detail: JSONValue) -> OperationReason {
    guard detail[DetailKey.formula] != nil else {
      return .time(Time(due: RecordTime(detail[DetailKey.due]), clock: Clock(detail[DetailKey.clock])))
    }
    return .specification(Specification(detail))
  }

  /// Returns a reason that is recorded without a code, for a running operation, or one that was waiting when its host ended. The details determine which.
  private static func withoutCode(_ detail: JSONValue) -> OperationReason? {
    if let count = detail[DetailKey.items]?.intValue { return .items(count) }
    if let run = detail[DetailKey.run]?.stringValue.flatMap({ RunID($0) }) { return .nestedRun(run) }
    if let text = detail[DetailKey.notRetried]?.stringValue {
      return .failed(code: nil, notRetried: NotRetried(text: text))
    }
    if detail[DetailKey.formula] != nil { return .former(.specification(Specification(detail))) }
    if detail[DetailKey.delay] != nil { return .former(.retry(Retry(detail))) }
    if detail[DetailKey.round] != nil { return .former(.round(Round(detail))) }
    if detail[DetailKey.message] != nil { return .former(.approval(Question(detail))) }
    for (key, code) in [(DetailKey.exclusive, Code.exclusive), (DetailKey.resources, .resources)]
    where detail[key] != nil {
      return .former(OperationReason(code, detail))
    }
    if detail[DetailKey.due] != nil || detail[DetailKey.clock] != nil { return .former(wait(detail)) }
    return unknown(detail).map { .other(code: nil, detail: $0) }
  }

  /// Returns the unknown part of a detail: everything except the members handled separately.
  private static func unknown(_ detail: JSONValue) -> JSONValue? {
    guard var members = detail.objectValue else { return nil }
    members[DetailKey.gate] = nil
    members[DetailKey.label] = nil
    members[DetailKey.again] = nil
    return members.isEmpty ? nil : .object(members)
  }

  private static func texts(_ value: JSONValue?) -> [String] { value?.arrayValue?.compactMap(\.stringValue) ?? [] }
}

extension OperationReason.Specification {
  fileprivate init(_ detail: JSONValue) {
    self.init(
      formula: detail[DetailKey.formula]?.stringValue ?? "its specification",
      why: detail[DetailKey.why]?.stringValue, since: RecordTime(detail[DetailKey.since]),
      due: RecordTime(detail[DetailKey.due]), clock: OperationReason.Clock(detail[DetailKey.clock]))
  }
}

extension OperationReason.Question {
  fileprivate init(_ detail: JSONValue) {
    self.init(
      message: detail[DetailKey.message]?.stringValue, command: detail[DetailKey.command]?.stringValue,
      clock: OperationReason.Clock(detail[DetailKey.clock]))
  }
}

extension OperationReason.Retry {
  fileprivate init(_ detail: JSONValue) {
    self.init(
      attempt: detail[DetailKey.attempt]?.intValue, due: RecordTime(detail[DetailKey.due]),
      delay: detail[DetailKey.delay]?.intValue, last: detail[DetailKey.lastAttempt]?.intValue,
      early: (detail[DetailKey.early]?.arrayValue ?? []).map { OperationReason.Early($0) },
      clock: OperationReason.Clock(detail[DetailKey.clock]))
  }
}

extension OperationReason.Round {
  fileprivate init(_ detail: JSONValue) {
    self.init(
      number: detail[DetailKey.round]?.intValue, due: RecordTime(detail[DetailKey.due]),
      clock: OperationReason.Clock(detail[DetailKey.clock]))
  }
}

extension OperationReason.Early {
  fileprivate init(_ value: JSONValue) {
    let formula = value[DetailKey.formula]?.stringValue ?? ""
    if let event = value[DetailKey.event]?.stringValue {
      self = .event(formula, event)
    } else {
      self = .specification(
        formula, value: value[DetailKey.value] == .bool(true), why: value[DetailKey.why]?.stringValue ?? "")
    }
  }
}

extension OperationReason.ExecutorWait {
  fileprivate init(_ detail: JSONValue) {
    self.init(
      executor: detail[DetailKey.executor]?.stringValue ?? "its executor",
      phase: detail[DetailKey.phase]?.stringValue.flatMap(Phase.init(rawValue:)) ?? .waiting)
    job = detail[DetailKey.job]?.stringValue
    state = detail[DetailKey.jobState]?.stringValue
    word = detail[DetailKey.jobReason]?.stringValue
    why = detail[DetailKey.why]?.stringValue
    partition = detail[DetailKey.partition]?.stringValue
    demand = detail[DetailKey.demand]?.stringValue
    start = RecordTime(detail[DetailKey.jobStart])
    since = RecordTime(detail[DetailKey.since])
    silentSince = RecordTime(detail[DetailKey.silentSince])
  }
}

extension OperationReason.Clock {
  fileprivate init?(_ value: JSONValue?) {
    guard let value else { return nil }
    self.init(
      boot: value[DetailKey.boot]?.stringValue, began: value[DetailKey.beganSinceBoot]?.intValue,
      due: value[DetailKey.dueSinceBoot]?.intValue)
  }
}

extension OpenedGate {
  /// Parses the member `gate`; nil if there is none.
  init?(_ value: JSONValue?) {
    guard let value, let formula = value[DetailKey.formula]?.stringValue else { return nil }
    self.init(
      formula: formula, since: RecordTime(value[DetailKey.since]), openedAt: RecordTime(value[DetailKey.openedAt]),
      openedBy: value[DetailKey.openedBy]?.stringValue)
  }
}

extension RecordTime {
  fileprivate init?(_ value: JSONValue?) {
    guard let seconds = value?.stringValue.flatMap(TimestampNotation.parse) else { return nil }
    self.init(secondsSince1970: seconds)
  }
}

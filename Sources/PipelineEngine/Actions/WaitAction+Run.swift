import Expressions
import Operations
import PipelineLanguage
import RunHistory
import Values

extension OperationDefinition.Wait: RunnableAction {
  func end(of handle: Void, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performWait(ordinal, self)
    return .none
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {}

  var goesOnAcrossHosts: Bool { false }
}

extension RunEngine {
  fileprivate func performWait(_ ordinal: Int, _ wait: OperationDefinition.Wait) async throws {
    switch wait {
    case .duration(let template):
      let text = try template.evaluate(in: contexts(ordinal)).injectedText
      guard let duration = DurationNotation.parse(text) else {
        let reason =
          DurationNotation.isTooLong(text)
          ? "is longer than \(DurationNotation.longest), the longest" : "is not a duration such as 30s"
        throw OperationFailure(code: "value-mismatch", message: "wait: '\(text.escapedForMessage)' \(reason)")
      }
      dropReadings(ordinal)
      try await self.wait(for: duration, ordinal)
    case .specification(let formula):
      let condition = try conditions.make(formula)
      _ = try await self.wait(for: condition, formula, ordinal, atMost: nil) { .specification($0) }
    case .until(let template):
      let text = try template.evaluate(in: contexts(ordinal)).injectedText
      guard let instant = TimestampNotation.parse(text) else {
        throw OperationFailure(
          code: "value-mismatch",
          message: "wait: '\(text.escapedForMessage)' is not an instant such as 2026-01-31T08:00:00Z")
      }
      dropReadings(ordinal)
      try await self.wait(until: RecordTime(secondsSince1970: instant), ordinal)
    }
  }

  /// Waits for a time. A wait that a former host began continues from where it was.
  private func wait(for duration: Duration, _ ordinal: Int) async throws {
    let former = formerWait(of: ordinal, for: .time)
    guard duration > .zero else { return }
    let now = services.moment()
    let left = former?.left(of: duration, at: now) ?? duration
    let due = now.time.advanced(by: left.wholeMicroseconds)
    recorder.enter(
      ordinal, .waiting, .time(OperationReason.Time(due: due, clock: RecordedWait.clock(now, left: left))),
      recordNow: true)
    guard left > .zero else { return }
    try await services.context.operationDelayer.delay(for: left)
  }

  /// Waits until the wall clock shows an instant, also where it is set back meanwhile.
  private func wait(until due: RecordTime, _ ordinal: Int) async throws {
    func left() -> Duration { .microseconds(due.microseconds - services.now().microseconds) }
    guard left() > .zero else { return }
    recorder.enter(ordinal, .waiting, .time(OperationReason.Time(due: due)), recordNow: true)
    while true {
      let left = left()
      guard left > .zero else { return }
      try await services.context.operationDelayer.delay(for: left)
    }
  }

  /// The wait that a former host began, if it is of the kind that begins now; once.
  func formerWait(of ordinal: Int, for kind: RecordedWait.Kind) -> RecordedWait? {
    guard let former = state.former[ordinal]?.wait, former.kind == kind else { return nil }
    state.former[ordinal]?.wait = former.withoutEnd
    return former
  }
}

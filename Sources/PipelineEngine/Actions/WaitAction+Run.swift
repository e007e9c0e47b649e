import Expressions
import Operations
import PipelineLanguage
import RunHistory
import Values

extension OperationDefinition.Wait: RunnableAction {
  nonisolated(nonsending) func end(of handle: Void, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await WaitAttempt(run: run, ordinal: ordinal).perform(self)
    return .none
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) {}

  var goesOnAcrossHosts: Bool { false }
}

/// One attempt of a `wait`.
private struct WaitAttempt {
  let run: Run
  let ordinal: Int

  nonisolated(nonsending) func perform(_ wait: OperationDefinition.Wait) async throws {
    switch wait {
    case .duration(let template):
      let text = try template.evaluate(in: run.contexts(ordinal)).injectedText
      guard let duration = DurationNotation.parse(text) else {
        let reason =
          DurationNotation.isTooLong(text)
          ? "is longer than \(DurationNotation.longest), the longest" : "is not a duration such as 30s"
        throw OperationFailure(code: "value-mismatch", message: "wait: '\(text.escapedForMessage)' \(reason)")
      }
      run.dropReadings(ordinal)
      try await self.wait(for: duration)
    case .specification(let formula):
      let condition = try run.conditions.make(formula)
      _ = try await ConditionWait(run: run, ordinal: ordinal).wait(for: condition, formula, atMost: nil) {
        .specification($0)
      }
    case .until(let template):
      let text = try template.evaluate(in: run.contexts(ordinal)).injectedText
      guard let instant = TimestampNotation.parse(text) else {
        throw OperationFailure(
          code: "value-mismatch",
          message: "wait: '\(text.escapedForMessage)' is not an instant such as 2026-01-31T08:00:00Z")
      }
      run.dropReadings(ordinal)
      try await self.wait(until: RecordTime(secondsSince1970: instant))
    }
  }

  /// Waits for a duration. A wait that a former host began continues from where it was.
  private nonisolated(nonsending) func wait(for duration: Duration) async throws {
    let former = run.state.takeFormerWait(of: ordinal, for: .time)
    guard duration > .zero else { return }
    let now = run.services.moment()
    let left = former?.left(of: duration, at: now) ?? duration
    let due = now.time.advanced(by: left.wholeMicroseconds)
    run.recorder.enter(
      ordinal, .waiting(.time(OperationReason.Time(due: due, clock: RecordedWait.clock(now, left: left)))),
      recordNow: true)
    guard left > .zero else { return }
    try await run.services.context.operationDelayer.delay(for: left)
  }

  /// Waits until the wall clock shows an instant, even if it is set back in the meantime.
  private nonisolated(nonsending) func wait(until due: RecordTime) async throws {
    func left() -> Duration { .microseconds(due.microseconds - run.services.now().microseconds) }
    guard left() > .zero else { return }
    run.recorder.enter(ordinal, .waiting(.time(OperationReason.Time(due: due))), recordNow: true)
    while true {
      let left = left()
      guard left > .zero else { return }
      try await run.services.context.operationDelayer.delay(for: left)
    }
  }
}

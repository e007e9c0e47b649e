import PipelineLanguage
import RunHistory

extension RecordedRun {
  /// Returns how long the latest attempt of an operation has been running. The operation itself began with its first attempt.
  func lengthOfAttempt(of record: OperationRecord, now: RecordTime) -> String {
    let attempt = attempts.last { $0.ordinal == record.ordinal && $0.number == record.attempts }
    return ClockText.length(since: attempt?.startedAt ?? record.startedAt ?? now, now: now)
  }

  /// Returns the run with a record for every operation of its pipeline: operations that have not begun, and so have no record yet, become pending. An
  /// ended run already has a record of every operation.
  package func withPending(of pipeline: PipelineDefinition?) -> RecordedRun {
    guard let pipeline, !run.state.isFinal || run.state == .interrupted else { return self }
    var whole = self
    let known = Set(operations.map(\.ordinal))
    whole.operations += pipeline.operations.filter { !known.contains($0.index) }.map { definition in
      OperationRecord(
        run: run.id, ordinal: definition.index, name: definition.name, position: definition.index, state: .pending)
    }
    whole.operations.sort { $0.ordinal < $1.ordinal }
    return whole
  }
}

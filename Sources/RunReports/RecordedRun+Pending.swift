import PipelineLanguage
import RunHistory

extension RecordedRun {
  /// How long the latest attempt of an operation has been running. The operation began with its first one.
  func lengthOfAttempt(of record: OperationRecord, now: RecordTime) -> String {
    let attempt = attempts.last { $0.ordinal == record.ordinal && $0.number == record.attempts }
    return ClockText.length(since: attempt?.startedAt ?? record.startedAt ?? now, now: now)
  }

  /// The run with a record for every operation of its pipeline: those that have not begun, of which nothing is recorded yet, are pending. Of a run
  /// that has ended everything is recorded.
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

import PipelineLanguage
import RunHistory

extension RecordedRun {
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

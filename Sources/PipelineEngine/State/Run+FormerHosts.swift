import PipelineLanguage
import RunHistory
import Values
import Workspace

/// What records provide to a run that other hosts have worked on: results, the run that it reuses results of, and the processes that a former host left behind.
extension Run {
  /// Returns the result that a record contains.
  func result(_ recorded: RecordedResult, type: ValueType?) -> OperationResult {
    switch recorded {
    case .none: return .none
    case .inline(let text): return (try? JSONValue.parse(text)).map { .value($0) } ?? .none
    case .file(let path, let size):
      let absolute = "\(state.given.workspace)/\(path)"
      // Files that the engine wrote itself contain JSON; logs contain what the process printed.
      return .file(
        ResultFile(path: absolute, size: size, type: path.hasSuffix(".json") ? .json : type, isRecorded: true))
    }
  }

  /// Returns the outcome of an operation according to its record.
  func settled(
    _ operation: OperationRecord, for ordinal: Int, parsed results: ParsedResults? = nil
  ) -> SettledResult {
    let parsed = (results ?? recordedItems.results)[operation].map { OperationResult.value($0) }
    return SettledResult(
      result: parsed ?? result(operation.result, type: state.instances[ordinal].node.definition.result),
      recorded: operation.result, artifacts: operation.artifacts)
  }

  /// Returns the records of the run whose results `run` reuses, or nil if there is none.
  ///
  /// - Throws: ``SourceMissing`` if that run is no longer in the workspace.
  nonisolated(nonsending) func recordedSource(of run: RunRecord) async throws -> RecordedRun? {
    let history = services.history
    return try await BlockingWork.run(if: run.origin.source != nil) { try history.recordedSource(of: run) }
  }

  /// Terminates the processes that the former host of the run left behind, including those of interrupted nested runs.
  ///
  /// - Throws: ``EngineError/processesRemain(_:of:)`` or ``EngineError/processesUnknown(of:)``. The run then becomes interrupted again.
  nonisolated(nonsending) func endFormerProcesses(host: ProcessIdentity) async throws {
    try await endFormerProcesses(of: id, host: host)
  }

  /// Terminates the processes that the former host of this run or a nested one left behind. This host has claimed the run.
  nonisolated(nonsending) func endFormerProcesses(of run: RunID, host: ProcessIdentity) async throws {
    let outcome = await services.shared.formerProcesses.end(of: run, host: host) {
      true
    } waits: {
      if !waits.isLookingForProcesses {
        services.shortages.giveBackSpares()
        services.shortages.tell(
          of: ResourceShortage(run: run, pipeline: state.pipeline.name, error: .processesUnknown(of: run)))
      }
      waits.isLookingForProcesses = true
      return cancellation == nil
    }
    waits.isLookingForProcesses = false
    for notice in outcome.notices(of: host) { observer.emit(.notice(state.id, notice)) }
    guard let error = outcome.error(of: run) else { return }
    try await services.recorder.giveUp(run)
    throw error
  }
}

/// The run whose results another run reuses is no longer in the workspace, so the other run cannot be resumed.
public struct SourceMissing: Error, Sendable, Hashable, CustomStringConvertible {
  /// The run that reuses the results.
  public let run: RunID
  /// The run whose results are reused.
  public let source: RunID
  /// What happened, and what to do next.
  public var description: String {
    "run \(run.text) reuses results of run \(source.text), which is no longer in this workspace; import that run again, or start a new one with `penstock run`"
  }
}

extension History {
  /// Returns the records of the run of which `run` reuses parts, or nil if it reuses none.
  ///
  /// - Throws: ``SourceMissing`` if that run is no longer in the workspace, or `WorkspaceError`.
  func recordedSource(of run: RunRecord) throws -> RecordedRun? {
    guard !run.origin.partial.isEmpty, let source = run.origin.source else { return nil }
    guard let recorded = try loadForExecution(source) else { throw SourceMissing(run: run.id, source: source) }
    return recorded
  }
}

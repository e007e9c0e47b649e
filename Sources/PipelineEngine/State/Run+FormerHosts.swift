import PipelineLanguage
import RunHistory
import Values
import Workspace

/// What records keep for a run that others have worked on: results, the run that it takes over from, and the processes that a former host left behind.
extension Run {
  /// The result that a record keeps.
  func result(_ recorded: RecordedResult, type: ValueType?) -> OperationResult {
    switch recorded {
    case .none: return .none
    case .inline(let text): return (try? JSONValue.parse(text)).map { .value($0) } ?? .none
    case .file(let path, let size):
      let absolute = "\(state.given.workspace)/\(path)"
      // Files that the engine wrote itself hold JSON; logs hold what the process printed.
      return .file(
        ResultFile(path: absolute, size: size, type: path.hasSuffix(".json") ? .json : type, isRecorded: true))
    }
  }

  /// What a record of an operation that has ended says it came to.
  func settled(
    _ operation: OperationRecord, for ordinal: Int, parsed results: ParsedResults? = nil
  ) -> SettledResult {
    let parsed = (results ?? recordedItems.results)[operation].map { OperationResult.value($0) }
    return SettledResult(
      result: parsed ?? result(operation.result, type: state.instances[ordinal].node.definition.result),
      recorded: operation.result, artifacts: operation.artifacts)
  }

  /// What is recorded of the run that another takes over from; nil where there is none.
  ///
  /// - Throws: ``SourceMissing`` when it is not in the workspace any more.
  nonisolated(nonsending) func recordedSource(of run: RunRecord) async throws -> RecordedRun? {
    let history = services.history
    return try await BlockingWork.run(if: run.origin.source != nil) { try history.recordedSource(of: run) }
  }

  /// Ends the processes that the former host of the run left behind, those of interrupted nested runs included.
  ///
  /// - Throws: ``EngineError/processesRemain(_:of:)`` or ``EngineError/processesUnknown(of:)``. The run is interrupted again then.
  nonisolated(nonsending) func endFormerProcesses(host: ProcessIdentity) async throws {
    try await endFormerProcesses(of: id, host: host)
  }

  /// Ends the processes that the former host of this run or a nested one left behind. This host has claimed the run.
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

/// The run that another takes results from is not in the workspace any more, so that it cannot be resumed.
public struct SourceMissing: Error, Sendable, Hashable, CustomStringConvertible {
  /// The run that takes over.
  public let run: RunID
  /// The run that it takes over from.
  public let source: RunID
  /// What happened, and what to do next.
  public var description: String {
    "run \(run.text) takes over results of run \(source.text), which is not in this workspace any more; import that run again, or start a new one with `penstock run`"
  }
}

extension History {
  /// What is recorded of the run of which another takes over parts; nil where it takes over none.
  ///
  /// - Throws: ``SourceMissing`` when that run is not in the workspace any more, or `WorkspaceError`.
  func recordedSource(of run: RunRecord) throws -> RecordedRun? {
    guard !run.origin.partial.isEmpty, let source = run.origin.source else { return nil }
    guard let recorded = try loadForExecution(source) else { throw SourceMissing(run: run.id, source: source) }
    return recorded
  }
}

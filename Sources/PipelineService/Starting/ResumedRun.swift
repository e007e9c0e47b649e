import PipelineEngine
import PipelineLanguage
import RunHistory

/// A run to resume, which was interrupted.
package struct ResumedRun: Sendable {
  package let record: RunRecord
  /// The id as it is shown.
  let short: String
  /// Its definition as it was recorded, for showing it; nil where that does not load without plugins.
  package let pipeline: PipelineDefinition?

  /// The run that `name` means, or the latest that was interrupted.
  ///
  /// - Throws: ``RunReferenceError``, ``RunStartError``, or `WorkspaceError`.
  package init(named name: String?, in history: History) throws {
    let reference = RunReference(history: history)
    guard let record = try name.map(reference.find) ?? history.latestRun(for: .resume) else {
      throw RunStartError.nothingToResume(workspace: history.workspace.directory)
    }
    guard record.state == .interrupted else { throw RunStartError(record, reference) }
    self.record = record
    short = reference.short(record.id)
    pipeline = try history.recordedPipeline(of: record)
  }

  /// What to say of an error of the engine: where nothing of the run was touched, it is still interrupted.
  func error(for error: EngineError) -> any Error {
    guard ["secret-unavailable", "processes-remain", "jobs-elsewhere"].contains(error.code) else { return error }
    return RunStartError.stillInterrupted(short: short, code: error.code, reason: "\(error)")
  }
}

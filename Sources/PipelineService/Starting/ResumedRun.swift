import PipelineEngine
import PipelineLanguage
import RunHistory

/// An interrupted run to resume.
package struct ResumedRun: Sendable {
  package let record: RunRecord
  /// The short id for display.
  let short: String
  /// Its recorded definition, for display; nil if that does not load without plugins.
  package let pipeline: PipelineDefinition?

  /// Finds the run named `name`, or the latest that was interrupted.
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

  /// Converts an error of the engine: if the run was left untouched, it is still interrupted.
  func error(for error: EngineError) -> any Error {
    guard ["secret-unavailable", "processes-remain", "jobs-elsewhere"].contains(error.code) else { return error }
    return RunStartError.stillInterrupted(short: short, code: error.code, reason: "\(error)")
  }
}

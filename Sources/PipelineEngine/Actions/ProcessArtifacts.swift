import Expressions
import PipelineLanguage
import RunHistory

/// Keeps artifacts of the files that the process of an attempt leaves behind.
struct ProcessArtifacts {
  let run: Run
  let ordinal: Int

  /// Returns the artifacts that the attempt is to keep. All expressions are evaluated before its process starts, while what they read is available.
  func wanted(_ contexts: RunContexts) throws -> [ArtifactKeeper.Wanted] {
    let artifacts = run.state.instances[ordinal].node.definition.artifacts
    guard !artifacts.isEmpty else { return [] }
    return try artifacts.map { artifact in
      var path = ""
      for segment in artifact.path.segments {
        switch segment {
        case .literal(let text): path += text
        case .expression(let expression, _):
          let text = try expression.evaluate(in: contexts).injectedText
          path += artifact.isPattern ? ArtifactPath.escaped(text) : text
        }
      }
      return ArtifactKeeper.Wanted(name: artifact.name, path: path, isPattern: artifact.isPattern)
    }
  }

  /// Copies the artifacts of a job that has succeeded. They are part of the record of its operation, which is written when the attempt has ended.
  nonisolated(nonsending) func keep(_ job: Job) async throws {
    let keeper = ArtifactKeeper(
      job.artifacts, of: job.id.run, ordinal: job.id.ordinal, attempt: job.id.attempt,
      in: job.directory ?? run.services.directory, workspace: run.state.given.workspace, masker: job.masker)
    let kept = try await withTaskCancellationHandler {
      try await run.waitingOut(ordinal) { try await BlockingWork.run { try keeper.keep() } }
    } onCancel: {
      keeper.cancel()
    }
    run.state.instances[ordinal].latest.artifacts = kept.artifacts
    let name = run.state.instances[ordinal].name
    if let leftOut = summary(of: kept.leftOut) {
      run.observer.emit(.notice(run.state.id, "some files of '\(name)' were not kept: \(leftOut)"))
    }
    if let changing = summary(of: kept.changing.map { "'\($0)'" }) {
      run.observer.emit(
        .notice(
          run.state.id,
          "artifacts of '\(name)' changed while they were copied and may be incomplete because something still writes to them: \(changing)"
        ))
    }
  }

  /// `'a', and 2 more`; nil if there are none.
  private func summary(of files: [String]) -> String? {
    files.first.map { $0.escapedForMessage + (files.count > 1 ? ", and \(files.count - 1) more" : "") }
  }
}

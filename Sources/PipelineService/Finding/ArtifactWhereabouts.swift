import PipelineLanguage
import RunHistory

/// Explains where the artifacts of a run are if this workspace has none.
package struct ArtifactWhereabouts {
  private let reference: RunReference
  private let run: RunRecord

  package init(of run: RunRecord, in reference: RunReference) {
    self.run = run
    self.reference = reference
  }

  /// Returns why there are none, as a sentence without a full stop that is safe to print to a terminal.
  package func absence() throws -> String {
    let short = reference.short(run.id)
    guard run.isImported else { return "run \(short) has kept no artifacts" }
    let pipeline = try reference.history.recordedPipeline(of: run)
    let done = Set(try reference.history.operations(of: run.id).filter(\.isDone).map(\.position))
    let keeping = pipeline?.operations.filter { !$0.artifacts.isEmpty && done.contains($0.index) }.map(\.name)
    if let keeping, keeping.isEmpty { return "run \(short) has kept no artifacts" }
    let names = (keeping ?? []).prefix(3).map { "'\(TerminalText.visible($0))'" }.joined(separator: ", ")
    let owner = names.isEmpty ? "its artifacts, if there are any" : "the artifacts of \(names)"
    return "run \(short) was imported without \(owner): they are in the workspace that it was exported from, on "
      + "\(TerminalText.visible(run.host)), and come along with `penstock history import FILE --files THAT-WORKSPACE` "
      + "into a workspace without this run"
  }
}

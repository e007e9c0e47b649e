/// The folder for use by the processes of a run: `runs/<id>/folder`. Its content belongs to them, and is deleted with the run.
package enum RunFolder {
  package static let name = "folder"

  /// Returns its absolute path. It exists before the first process of the run starts.
  package static func path(of run: RunID, in workspace: String) -> String { "\(workspace)/runs/\(run.text)/\(name)" }
}

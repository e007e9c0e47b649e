/// The folder that the processes of a run have for themselves: `runs/<id>/folder`. It is theirs to fill, and goes with the run.
package enum RunFolder {
  package static let name = "folder"

  /// Its absolute path. It is there before the first process of the run starts.
  package static func path(of run: RunID, in workspace: String) -> String { "\(workspace)/runs/\(run.text)/\(name)" }
}

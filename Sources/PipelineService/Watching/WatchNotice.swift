/// A notification from a watched pipeline, in addition to its runs.
package enum WatchNotice: Sendable, Hashable {
  /// A file has changed, so the pipeline is reloaded.
  case changed(path: String)
  /// A run begins because a controller requested it. `reason` is the controller's reason.
  case asked(controller: String, reason: String?)
  /// A run begins because the condition of `rerun_on_change` has become true.
  case conditionIsTrue(String)
  /// Nothing runs until one of the files changes or one of the causes occurs: conditions and controllers.
  case waiting(files: [String], causes: [String])
  /// Nothing can run until one of the files changes.
  case waitingForCorrection(files: [String])
}

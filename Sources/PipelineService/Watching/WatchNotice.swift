/// What a watched pipeline tells of itself, beside its runs.
package enum WatchNotice: Sendable, Hashable {
  /// A file has changed, so the pipeline is loaded again.
  case changed(path: String)
  /// A run begins because a controller asks for it. `reason` is what the controller says of it.
  case asked(controller: String, reason: String?)
  /// A run begins because the condition of `rerun_on_change` has turned true.
  case conditionIsTrue(String)
  /// Nothing runs until one of the files changes, or one of the causes comes: conditions and controllers.
  case waiting(files: [String], causes: [String])
  /// Nothing can run until one of the files changes.
  case waitingForCorrection(files: [String])
}

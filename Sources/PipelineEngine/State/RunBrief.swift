import RunHistory

/// What a run is asked to be: settled before it begins, and the same to its end.
struct RunBrief: Sendable {
  let id: RunID
  var options = RunOptions()
  /// The operation that it is nested in; nil where a person or a controller has started it.
  var parent: RunRecord.Parent?
  /// Exclusive names that operations around the run hold, each with the run in which it was taken.
  var heldNames: [String: RunID] = [:]
  /// Whether operations around the run hold resources, for which others may wait until the run has ended.
  var isWithinHolder = false
  var observer = RunObserver()
  /// The record of a run that was queued, and that this host has taken; nil for one that is not recorded yet.
  var queued: RunRecord?
  /// When it must have begun, or it is left out; nil for any time.
  var startBy: RecordTime?
  /// Its place among those that the host lets go on at once; nil where nobody counts them.
  var place: RunPlace?
  /// Called on the loop when it begins; returns at once.
  var onBegin: (@Sendable () -> Void)?
}

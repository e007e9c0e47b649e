import RunHistory

/// The inputs of a run, which are fixed before it begins.
struct RunBrief: Sendable {
  let id: RunID
  var options = RunOptions()
  /// The operation that it is nested in; nil if a person or a controller started it.
  var parent: RunRecord.Parent?
  /// Exclusive names that operations around the run hold, each with the run in which it was taken.
  var heldNames: [String: RunID] = [:]
  /// Whether operations around the run hold resources, for which others may wait until the run has ended.
  var isWithinHolder = false
  var observer = RunObserver()
  /// The record of a queued run that this host has claimed; nil for one that is not recorded yet.
  var queued: RunRecord?
  /// The time by which it must have begun, or it is skipped; nil for no limit.
  var startBy: RecordTime?
  /// Its slot among the runs that the host executes at once; nil if they are not limited.
  var place: RunPlace?
  /// Called on the event loop when the run begins. Must return immediately.
  var onBegin: (@Sendable () -> Void)?
}

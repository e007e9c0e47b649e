import PipelineEngine
import RunHistory

/// What a host hears while it serves.
package enum HostSignal: Sendable, Hashable {
  /// To read its configuration and its pipelines anew, by a signal; with the login name of who has sent it, where that is known.
  case reload(by: String?)
  /// To begin nothing any more, and to end; asked again, with less patience each time.
  case drain(RunCanceller)
  /// Files may have changed.
  case filesChanged
  /// The workspace may have been deleted or moved.
  case workspaceChanged
  /// Somebody has asked something of it in the workspace.
  case requests
  /// The wall clock was set.
  case clockSet(ClockWatch.Setting)
  /// The time for draining is up.
  case drainTimeout
  /// No run goes on any more.
  case idle
}

import PipelineEngine
import RunHistory

/// A signal for a host that serves.
package enum HostSignal: Sendable, Hashable {
  /// To reload its configuration and its pipelines because of a signal, with the login name of the sender if known.
  case reload(by: String?)
  /// To start nothing more, and to end; sent again with less patience each time.
  case drain(RunCanceller)
  /// Files may have changed.
  case filesChanged
  /// The workspace may have been deleted or moved.
  case workspaceChanged
  /// Somebody has made a request in the workspace.
  case requests
  /// The wall clock was set.
  case clockSet(ClockWatch.Setting)
  /// The time for draining has passed.
  case drainTimeout
  /// No run is active any more.
  case idle
}

import LinuxObservers
import Operations
import Synchronization

/// Whether the host is in the foreground of its terminal, for a program that handles the signals of job control itself.
///
/// The program notifies it when this may have changed; nothing is polled in between. May be used from any thread.
final class HostActivity: ApplicationActivityObserver {
  private struct State {
    /// True from the stop signal until the process continues. The terminal counts it as in the foreground throughout.
    var isStopping = false
    /// The value that handlers were last notified of; nil before the first handler is added.
    var wasActive: Bool?
  }

  private let handlers = HandlerList<Bool>()
  private let state = Mutex(State())

  var isApplicationActive: Bool {
    !state.withLock { $0.isStopping } && TerminalActivityObserver.shared.isApplicationActive
  }

  func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    // Notify the existing handlers of what the new one is about to learn.
    tell()
    let subscription = handlers.subscribe(handler)
    handler(isApplicationActive)
    return subscription
  }

  /// Notifies the handlers of a change, if there is one. `isStopping` when the process is about to be stopped, and therefore leaves the foreground.
  func notice(isStopping: Bool) {
    // A shell may have moved the process to the foreground without a signal: callers that have read the value since then must be notified of the end.
    if isStopping { tell() }
    state.withLock { $0.isStopping = isStopping }
    tell()
  }

  private func tell() {
    let isActive = isApplicationActive
    let isChange = state.withLock { state in
      defer { state.wasActive = isActive }
      return state.wasActive != isActive
    }
    if isChange { handlers.notify(isActive) }
  }
}

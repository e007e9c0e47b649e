import LinuxObservers
import Operations
import Synchronization

/// Whether the host is in the foreground of its terminal, for a program that takes the signals of job control itself.
///
/// The program says when it may have changed; nothing is asked in between. Any thread.
final class HostActivity: ApplicationActivityObserver {
  private struct State {
    /// From the signal to stop until the process continues. The terminal counts it as in the foreground all the time.
    var isStopping = false
    /// What the handlers were told last; nil before the first is there.
    var wasActive: Bool?
  }

  private let handlers = HandlerList<Bool>()
  private let state = Mutex(State())

  var isApplicationActive: Bool {
    !state.withLock { $0.isStopping } && TerminalActivityObserver.shared.isApplicationActive
  }

  func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    // The others hear of what this one is about to learn, too.
    tell()
    let subscription = handlers.subscribe(handler)
    handler(isApplicationActive)
    return subscription
  }

  /// Tells of a change, if there is one. `isStopping` when the process is about to be stopped, and so leaves the foreground.
  func notice(isStopping: Bool) {
    // A shell may have moved the process to the foreground without a signal: whoever asked since then knows, and has to hear of the end.
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

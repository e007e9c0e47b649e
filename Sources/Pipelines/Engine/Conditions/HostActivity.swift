import Operations
import Synchronization

/// Whether the host is in the foreground of its terminal, for a program that takes the signals of job control itself.
///
/// The program says when it may have changed; nothing is asked in between. Any thread.
final class HostActivity: ApplicationActivityObserver {
  private let handlers = HandlerList<Bool>()
  /// What the handlers were told last.
  private let wasActive = Mutex<Bool?>(nil)

  func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    let isActive = TerminalActivityObserver.shared.isApplicationActive
    wasActive.withLock { $0 = isActive }
    let subscription = handlers.subscribe(handler)
    handler(isActive)
    return subscription
  }

  /// Tells of a change, if there is one. `isStopping` when the process is about to be stopped, and so leaves the foreground.
  func notice(isStopping: Bool) {
    guard handlers.count > 0 else { return }
    let isActive = !isStopping && TerminalActivityObserver.shared.isApplicationActive
    let isChange = wasActive.withLock { wasActive in
      defer { wasActive = isActive }
      return wasActive != isActive
    }
    if isChange { handlers.notify(isActive) }
  }
}

import Operations
import Synchronization

/// Whether the host is in the foreground of its terminal, for a program that takes the signals of job control itself.
///
/// The program says when it may have changed; nothing is asked in between. Any thread.
final class HostActivity: ApplicationActivityObserver {
  private typealias Handler = @Sendable (Bool) -> Void

  private struct State {
    var handlers: [(id: Int, call: Handler)] = []
    var lastID = 0
    var isActive: Bool?
  }

  private let state = Mutex(State())

  func subscribe(_ handler: @escaping @Sendable (Bool) -> Void) -> OperationSubscription {
    let isActive = TerminalActivityObserver.shared.isApplicationActive
    let id = state.withLock { state in
      state.lastID += 1
      state.handlers.append((state.lastID, handler))
      state.isActive = isActive
      return state.lastID
    }
    handler(isActive)
    return OperationSubscription { [self] in
      // What the handler holds goes outside of the lock.
      let removed = state.withLock { state in
        state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0) }
      }
      _ = removed
    }
  }

  /// Tells of a change, if there is one. `isStopping` when the process is about to be stopped, and so leaves the foreground.
  func notice(isStopping: Bool) {
    let isActive = !isStopping && TerminalActivityObserver.shared.isApplicationActive
    let handlers: [Handler] = state.withLock { state in
      guard !state.handlers.isEmpty, state.isActive != isActive else { return [] }
      state.isActive = isActive
      return state.handlers.map(\.call)
    }
    for handler in handlers { handler(isActive) }
  }
}

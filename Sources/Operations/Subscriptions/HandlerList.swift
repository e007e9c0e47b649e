import Synchronization

/// Handlers that are called in the order of subscription, without a lock held.
///
/// A handler may subscribe, and cancel any subscription, including its own. A cancelled handler is no longer called by a notification in
/// progress on the same thread; an added one is called from the next notification on. A notification allocates no memory.
///
/// An owner that must register a handler and read its own state in one step keeps a ``HandlerTable`` in its state instead.
package final class HandlerList<Argument>: Sendable {
  package typealias Handler = @Sendable (Argument) -> Void

  private let table = Mutex(HandlerTable<Handler>())

  package init() {}

  /// The number of subscriptions.
  package var count: Int { table.withLock { $0.count } }

  /// Adds `handler` until the subscription ends, which releases it.
  package func subscribe(_ handler: @escaping Handler) -> OperationSubscription {
    let id = table.withLock { $0.insert(handler) }
    return OperationSubscription { [weak self] in
      self?.remove(id)
    }
  }

  /// Calls every handler with `argument`.
  package func notify(_ argument: Argument) {
    let snapshot = table.withLock { $0.snapshot }
    snapshot.forEach { $0(argument) }
  }

  private func remove(_ id: HandlerTable<Handler>.ID) {
    // The removed entry is released here, after the lock.
    _ = table.withLock { $0.remove(id) }
  }
}

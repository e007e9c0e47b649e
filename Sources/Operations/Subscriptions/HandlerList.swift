import Synchronization

/// Handlers that are called in the order of their subscription, under no lock.
///
/// A handler may subscribe, and cancel any subscription, its own included. One that is cancelled is not called again by
/// a notification in progress on the same thread; one that is added is called from the next notification on.
/// A notification allocates nothing.
///
/// An owner that has to register a handler and read its own state in one step keeps a ``HandlerTable`` in its state.
package final class HandlerList<Argument>: Sendable {
  package typealias Handler = @Sendable (Argument) -> Void

  private let table = Mutex(HandlerTable<Handler>())

  package init() {}

  /// How many subscriptions there are.
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
    // What is returned is released here, after the lock.
    _ = table.withLock { $0.remove(id) }
  }
}

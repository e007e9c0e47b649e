import Synchronization

/// One handler of a ``HandlerTable``, and whether it may still be called.
final class HandlerEntry<Handler: Sendable>: Sendable {
  let handler: Handler
  private let active = Atomic(true)

  init(_ handler: Handler) {
    self.handler = handler
  }

  var isActive: Bool { active.load(ordering: .acquiring) }

  func deactivate() { active.store(false, ordering: .releasing) }
}

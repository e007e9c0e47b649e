import Synchronization

/// Tells the moments at which a condition turns true from all others. Any thread.
final class ConditionEdge: Sendable {
  private let wasSatisfied: Atomic<Bool>

  init(wasSatisfied: Bool) { self.wasSatisfied = Atomic(wasSatisfied) }

  /// Whether the condition, which was not satisfied when it was last looked at, now is.
  func turnsTrue(_ isSatisfied: Bool) -> Bool {
    !wasSatisfied.exchange(isSatisfied, ordering: .sequentiallyConsistent) && isSatisfied
  }
}

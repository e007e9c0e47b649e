import Synchronization

/// Reports each change of a specification's value, on whichever threads its notifications arrive.
///
/// Only one thread reads the value at a time; a notification meanwhile makes it read again, so that the last value read is current.
final class SpecificationFollower: Sendable {
  private struct Seen {
    /// The last value read; nil before the first, which is not reported.
    var isSatisfied: Bool?
    var isLooking = false
    var mustLookAgain = false
  }

  private let isSatisfied: @Sendable () -> Bool
  private let onTurn: @Sendable (_ isSatisfied: Bool) -> Void
  private let seen = Mutex(Seen())

  /// Follows the value of `isSatisfied` from the first ``look()`` on. Both closures are called without a lock held, by one thread at a time.
  init(
    _ isSatisfied: @escaping @Sendable () -> Bool, onTurn: @escaping @Sendable (_ isSatisfied: Bool) -> Void
  ) {
    self.isSatisfied = isSatisfied
    self.onTurn = onTurn
  }

  /// Reads the value of the specification, which may have changed.
  func look() {
    let begins = seen.withLock { seen in
      seen.mustLookAgain = true
      defer { seen.isLooking = true }
      return !seen.isLooking
    }
    guard begins else { return }
    while mustGoOn() {
      let isSatisfied = isSatisfied()
      let before = seen.withLock { seen in
        defer { seen.isSatisfied = isSatisfied }
        return seen.isSatisfied
      }
      if let before, before != isSatisfied { onTurn(isSatisfied) }
    }
  }

  private func mustGoOn() -> Bool {
    seen.withLock { seen in
      seen.isLooking = seen.mustLookAgain
      seen.mustLookAgain = false
      return seen.isLooking
    }
  }
}

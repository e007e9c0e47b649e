import Synchronization

/// Tells each turn of a specification, whatever threads its changes come from.
///
/// One thread looks at a time; a change meanwhile makes it look again, so that the last look wins.
final class SpecificationFollower: Sendable {
  private struct Seen {
    /// nil until the first look, which only takes note.
    var isSatisfied: Bool?
    var isLooking = false
    var mustLookAgain = false
  }

  private let isSatisfied: @Sendable () -> Bool
  private let onTurn: @Sendable (_ isSatisfied: Bool) -> Void
  private let seen = Mutex(Seen())

  /// Follows the value `isSatisfied` from the first ``look()`` on. Both are called under no lock, by one thread at a time.
  init(
    _ isSatisfied: @escaping @Sendable () -> Bool, onTurn: @escaping @Sendable (_ isSatisfied: Bool) -> Void
  ) {
    self.isSatisfied = isSatisfied
    self.onTurn = onTurn
  }

  /// Looks at the specification, which may have changed.
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

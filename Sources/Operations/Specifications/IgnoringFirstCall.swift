import Synchronization

/// Forwards every call except the first. Turns a source that immediately calls back with its current value into one
/// that only notifies of changes.
final class IgnoringFirstCall: Sendable {
  private let isFirst = Atomic(true)
  private let onChange: @Sendable () -> Void

  init(_ onChange: @escaping @Sendable () -> Void) {
    self.onChange = onChange
  }

  func call() {
    guard isFirst.load(ordering: .relaxed), isFirst.exchange(false, ordering: .acquiringAndReleasing) else {
      return onChange()
    }
  }
}

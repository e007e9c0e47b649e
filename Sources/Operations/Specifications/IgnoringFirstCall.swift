import Synchronization

/// Passes every call on but the first: turns a source that calls back at once, with what it is now, into one that only
/// tells of changes.
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

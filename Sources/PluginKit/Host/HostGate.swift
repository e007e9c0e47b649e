import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Keeps calls of the host within the time that the contract allows: none after `close` has returned.
final class HostGate: Sendable {
  /// Twice the number of calls that go on, plus one when the gate is closed.
  private let calls = Atomic<Int>(0)

  /// Runs `body`, which calls the host; nil when the gate is closed.
  func enter<Value>(_ body: () -> Value) -> Value? {
    guard calls.wrappingAdd(2, ordering: .acquiring).oldValue & 1 == 0 else {
      calls.wrappingSubtract(2, ordering: .releasing)
      return nil
    }
    defer { calls.wrappingSubtract(2, ordering: .releasing) }
    return body()
  }

  /// Lets nobody in any more, and returns when those who are inside have left, which takes as long as one call of the
  /// host; gives up after a second, which is all the time that `close` has.
  func close() {
    calls.bitwiseOr(1, ordering: .acquiringAndReleasing)
    for _ in 0..<10_000 where calls.load(ordering: .acquiring) != 1 { usleep(100) }
  }
}

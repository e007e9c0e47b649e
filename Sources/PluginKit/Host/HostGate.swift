import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Ensures that the host is not called after `close` has returned, as the contract requires.
final class HostGate: Sendable {
  /// Twice the number of calls in progress, plus one once the gate is closed.
  private let calls = Atomic<Int>(0)

  /// Runs `body`, which calls the host; nil if the gate is closed.
  func enter<Value>(_ body: () -> Value) -> Value? {
    guard calls.wrappingAdd(2, ordering: .acquiring).oldValue & 1 == 0 else {
      calls.wrappingSubtract(2, ordering: .releasing)
      return nil
    }
    defer { calls.wrappingSubtract(2, ordering: .releasing) }
    return body()
  }

  /// Admits no further calls, and returns when those in progress have ended, which takes as long as one call of the host. Gives up after one
  /// second, which is all the time that `close` has.
  func close() {
    calls.bitwiseOr(1, ordering: .acquiringAndReleasing)
    for _ in 0..<10_000 where calls.load(ordering: .acquiring) != 1 { usleep(100) }
  }
}

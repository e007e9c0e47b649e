import Operations
import PipelineEngine
import Synchronization

/// What the tests that run a built program ask for; nothing of it by default.
package struct TestingConditions: Sendable {
  /// Whether delays (of retries, `repeat` and `wait`) pass at once while the clock moves on by them; time limits stay real.
  package var isClockVirtual = false
  /// Makes jitter reproducible.
  package var seed: UInt64?
  /// Changes whatever else a host is given, such as its clock. Default nil: nothing.
  package var adapt: (@Sendable (inout HostConfiguration) -> Void)?

  package init() {}

  /// This process on this machine, under these conditions.
  func configuration() -> HostConfiguration {
    var configuration = HostConfiguration()
    if isClockVirtual {
      let clock = VirtualClock()
      configuration.clock = clock
      configuration.delayer = clock
    }
    if let seed { configuration.random = OperationRandom(seed: seed) }
    adapt?(&configuration)
    return configuration
  }
}

/// The system's clock, moved on by every delay instead of waiting for it.
final class VirtualClock: OperationClock, OperationDelayer {
  private let passed = Mutex(Duration.zero)
  private let system = SystemOperationClock()

  func now() -> Timestamp { system.now().advanced(by: passed.withLock { $0 }) }

  func monotonic() -> Duration { system.monotonic() + passed.withLock { $0 } }

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    try Task.checkCancellation()
    passed.withLock { $0 += duration }
    await Task.yield()
  }
}

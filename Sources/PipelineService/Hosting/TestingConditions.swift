import Operations
import PipelineEngine
import Synchronization

/// Settings used by tests that run a built program; all are off by default.
package struct TestingConditions: Sendable {
  /// Whether delays (of retries, `repeat` and `wait`) end immediately and advance the clock instead; time limits stay real.
  package var isClockVirtual = false
  /// Makes jitter reproducible.
  package var seed: UInt64?
  /// How long a job that its cluster never starts may wait. Default nil: as long as elsewhere.
  package var clusterPatience: Duration?
  /// Changes other settings of a host, such as its clock. Default nil: none.
  package var adapt: (@Sendable (inout HostConfiguration) -> Void)?

  package init() {}

  /// Returns the configuration of this process on this machine under these conditions.
  func configuration() -> HostConfiguration {
    var configuration = HostConfiguration()
    if isClockVirtual {
      let clock = VirtualClock()
      configuration.clock = clock
      configuration.delayer = clock
    }
    if let seed { configuration.random = OperationRandom(seed: seed) }
    configuration.clusterPatience = clusterPatience
    adapt?(&configuration)
    return configuration
  }
}

/// The system's clock; a delay advances it instead of waiting.
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

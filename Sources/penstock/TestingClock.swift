import Glibc
import Operations
import PipelineEngine
import Synchronization

extension HostConfiguration {
  /// This process on this machine, with the clock and the random numbers that the tests which run the built tool ask for.
  ///
  /// `PENSTOCK_TESTING_CLOCK=virtual` lets delays (of retries, `repeat` and `wait`) pass at once while the clock moves on by them; time limits stay real.
  /// `PENSTOCK_TESTING_SEED=<n>` makes jitter reproducible.
  static func ofTool() -> HostConfiguration {
    var configuration = HostConfiguration()
    if let clock = getenv("PENSTOCK_TESTING_CLOCK"), String(cString: clock) == "virtual" {
      let clock = VirtualClock()
      configuration.clock = clock
      configuration.delayer = clock
    }
    if let seed = getenv("PENSTOCK_TESTING_SEED").flatMap({ UInt64(String(cString: $0)) }) {
      configuration.random = OperationRandom(seed: seed)
    }
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

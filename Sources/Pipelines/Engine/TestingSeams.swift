import Glibc
import Operations
import Synchronization

/// The clock, delayer and random source of a host; those of the system unless a test asks for others through the environment.
///
/// `PENSTOCK_TESTING_CLOCK=virtual` lets delays (of retries, `repeat` and `wait`) pass at once while the clock moves on by them; time limits stay real.
/// `PENSTOCK_TESTING_SEED=<n>` makes jitter reproducible. Both exist for the tests that run the built tool.
enum TestingSeams {
  static func context(loop: EventLoop) -> OperationContext {
    var context = OperationContext()
    context.operationDelayer = LoopDelayer(loop: loop)
    if let clock = getenv("PENSTOCK_TESTING_CLOCK"), String(cString: clock) == "virtual" {
      let clock = VirtualClock()
      context.operationTimeLimitDelayer = context.operationDelayer
      context.operationClock = clock
      context.operationDelayer = clock
    }
    if let seed = getenv("PENSTOCK_TESTING_SEED").flatMap({ UInt64(String(cString: $0)) }) {
      context.operationRandom = OperationRandom(seed: seed)
    }
    return context
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

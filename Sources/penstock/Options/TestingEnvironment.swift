import Glibc
import PipelineService

extension TestingConditions {
  /// What the tests that run the built tool ask for: `PENSTOCK_TESTING_CLOCK=virtual` for a clock that delays move on, `PENSTOCK_TESTING_SEED=<n>` for
  /// reproducible jitter. A release asks for nothing.
  static func ofEnvironment() -> TestingConditions {
    var conditions = TestingConditions()
    #if DEBUG
      conditions.isClockVirtual = getenv("PENSTOCK_TESTING_CLOCK").map { String(cString: $0) } == "virtual"
      conditions.seed = getenv("PENSTOCK_TESTING_SEED").flatMap { UInt64(String(cString: $0)) }
    #endif
    return conditions
  }
}

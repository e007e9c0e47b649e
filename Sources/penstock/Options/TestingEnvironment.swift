import Glibc
import PipelineService

extension TestingConditions {
  /// Returns the settings requested by tests that run the built tool: `PENSTOCK_TESTING_CLOCK=virtual` for a clock that delays advance,
  /// `PENSTOCK_TESTING_SEED=<n>` for reproducible jitter, and `PENSTOCK_TESTING_CLUSTER_PATIENCE=<n>` for the seconds after which a job that its cluster
  /// never starts fails. Ignored in release builds.
  static func ofEnvironment() -> TestingConditions {
    var conditions = TestingConditions()
    #if DEBUG
      conditions.isClockVirtual = getenv("PENSTOCK_TESTING_CLOCK").map { String(cString: $0) } == "virtual"
      conditions.seed = getenv("PENSTOCK_TESTING_SEED").flatMap { UInt64(String(cString: $0)) }
      conditions.clusterPatience = getenv("PENSTOCK_TESTING_CLUSTER_PATIENCE").flatMap { Int(String(cString: $0)) }
        .map { .seconds($0) }
    #endif
    return conditions
  }
}

import Foundation
import Subprocess
import Testing

/// Hosts through a month that takes seconds: the program `SimulatedHosts`, which says what it does with `--help`.
///
/// The short form is a part of every test run. `make soak` runs the long one, which is built with optimization. `PENSTOCK_SOAK_SEED` gives another seed.
@Suite("A simulated month", .serialized, .timeLimit(.minutes(10)))
struct SimulationTests {
  private func simulate(_ arguments: [String]) async throws {
    let seed = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_SEED"].map { ["--seed", $0] } ?? []
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let result = try await run(
      .path(.init("\(programs)/SimulatedHosts")), arguments: Arguments(arguments + seed),
      output: .string(limit: 1 << 20),
      error: .combinedWithOutput)
    #expect(result.terminationStatus.isSuccess, "\(result.standardOutput)")
    print(result.standardOutput)
  }

  @Test("has one row for each instant, exceeds no limit and starves no pipeline, whenever hosts end or are killed")
  func month() async throws { try await simulate([]) }

  @Test("lets no pipeline wait for more runs of others than there are pipelines, while few runs may be active")
  func turns() async throws { try await simulate(["--runs", "2", "--pipelines", "40"]) }

  @Test("is the same for the same seed")
  func repetition() async throws {
    try await simulate(["--twice", "--pipelines", "12", "--days", "1", "--restarts", "6", "--kills", "3"])
  }
}

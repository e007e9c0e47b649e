import Foundation
import Subprocess
import Testing

/// What `penstock` does on a real Slurm, each case with a cluster of its own on this computer: see `Tests/Slurm`.
///
/// Without the packages, the cases are skipped by name; in CI they fail.
@Suite("A Slurm cluster")
struct ClusterTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Slurm").path

  private static let cases: [String] = {
    let names = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/cases")
    return (names ?? []).filter { $0.hasSuffix(".sh") }.sorted().map { String($0.dropLast(3)) }
  }()

  private static let isInstalled =
    ["/usr/sbin/slurmctld-wlm", "/usr/sbin/slurmd-wlm", "/usr/sbin/munged", "/usr/bin/sbatch"]
    .allSatisfy(FileManager.default.isExecutableFile)

  @Test("there are cases") func found() { #expect(Self.cases.count > 10) }

  @Test(
    "holds what is promised", .enabled(if: isInstalled || ProcessInfo.processInfo.environment["CI"] != nil),
    arguments: cases)
  func holds(name: String) async throws {
    try await CaseSlots.shared.withSlot {
      let outcome = try await Subprocess.run(
        .name("timeout"), arguments: ["--kill-after=5", "120", "bash", "\(Self.folder)/cases/\(name).sh"],
        environment: .inherit.updating(["PENSTOCK": BuiltPenstock.path.string]), input: .none,
        output: .string(limit: 4 << 20), error: .string(limit: 4 << 20))
      #expect(outcome.terminationStatus.isSuccess, "\(outcome.standardOutput)\(outcome.standardError)")
    }
  }
}

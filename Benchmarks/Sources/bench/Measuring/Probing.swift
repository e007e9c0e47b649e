import FoundationEssentials
import Subprocess

/// Starts probes: one uncounted round to warm up, where there are several.
struct Probing: Sendable {
  let rounds: Int
  /// Told what happens, for people who wait.
  let report: @Sendable (String) -> Void

  func measure(_ probe: Probe) async throws -> ProbeResult {
    let total = probe.isMeasuredOnce ? 1 : rounds
    report("\(probe.name): \(total) \(total == 1 ? "round" : "rounds")")
    if !probe.isMeasuredOnce { _ = try await numbers(of: probe) }
    var rounds: [[String: Double]] = []
    for _ in 0..<total { rounds.append(try await numbers(of: probe)) }
    return ProbeResult(probe: probe, rounds: rounds)
  }

  private func numbers(of probe: Probe) async throws -> [String: Double] {
    let outcome = try await Subprocess.run(
      .path(.init(probe.command.program)), arguments: Arguments(probe.command.arguments), input: .none,
      output: .string(limit: 4096), error: .string(limit: 4096))
    let names = ["peakBytes"] + probe.figures.flatMap { [$0.subject] + ($0.floor.map { [$0] } ?? []) }
    guard outcome.terminationStatus.isSuccess,
      let numbers = try? JSONDecoder().decode([String: Double].self, from: Data(outcome.standardOutput.utf8)),
      names.allSatisfy({ numbers[$0] != nil })
    else {
      throw BenchError("cannot measure \(probe.name): \(outcome.standardOutput)\(outcome.standardError)")
    }
    return numbers
  }
}

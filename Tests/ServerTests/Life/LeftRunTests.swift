import Foundation
import PipelineEngine
import RunHistory
import Server
import Testing

@Suite("A run whose host was killed", .timeLimit(.minutes(1)))
struct LeftRunTests {
  private func state(_ run: RunID, in history: History) throws -> RunState? { try history.run(run)?.state }

  /// Makes it look as if the process of the host that executes the run had been killed, and another one had begun.
  private func loseHost(of runs: [RunID], in history: History) async throws {
    let recorder = HistoryRecorder(workspace: history.workspace)
    for run in runs {
      _ = try await recorder.takeQueued(QueueTurns.Places(total: 9), held: [], single: [], host: "box", at: .now)
      recorder.record(.runStarted(run, at: .now))
    }
    try await recorder.flush()
    try await recorder.perform { db in
      try db.execute(sql: "UPDATE run_record SET process_started = 1 WHERE state = 'running'")
    }
    try await recorder.close()
  }

  @Test(
    "follows `on_restart` of its own definition, even if the file has changed",
    arguments: ["broken", "gone", "other"])
  func definition(file: String) async throws {
    let texts = ["leave", "fail"].map { ($0, "on_restart: \($0)\noperations: [{ name: a, approve: may it? }]") }
    let bench = try ServerBench(Dictionary(uniqueKeysWithValues: texts))
    try await bench.serve { _, _ in }
    let history = try bench.history()
    defer { history.workspace.close() }
    let runs = try texts.map { try bench.start($0.0, in: history) }
    try await loseHost(of: runs, in: history)
    for (name, _) in texts {
      switch file {
      case "broken": try bench.write("operations: [", to: name)
      case "gone": try bench.remove(name)
      default: try bench.write("on_restart: resume\noperations: [{ name: a, value: 1 }]", to: name)
      }
    }
    try await bench.serve { _, history in
      let states = try runs.map { try state($0, in: history) }
      #expect(states == [.interrupted, .failed])
      #expect(!bench.log.contains { $0.contains("resuming run") })
    }
  }
}

import Foundation
import PipelineEngine
import RunHistory
import RunReports
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

  /// A process that the run has started, whose parent has ended.
  private func sleeper(of run: RunID) throws -> Int32 {
    let (shell, output) = (Process(), Pipe())
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", "sleep 600 > /dev/null 2>&1 & echo $!"]
    shell.environment = ["PENSTOCK_RUN_ID": run.text, "PATH": "/usr/bin:/bin"]
    shell.standardOutput = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  /// Whether it has not ended, be it that nobody has collected it yet.
  private func isRunning(_ pid: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
    return !text.contains(") Z ")
  }

  @Test(
    "becomes what its own definition says of restarts, whatever has become of the file",
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
    #expect(try RunRestart(of: #require(try history.run(runs[0])), in: history).prospect == nil)
    #expect(try RunRestart(of: #require(try history.run(runs[1])), in: history).prospect == .fail)
    try await bench.serve { _, history in
      let states = try runs.map { try state($0, in: history) }
      #expect(states == [.interrupted, .failed])
      #expect(!bench.log.contains { $0.contains("resuming run") })
    }
  }

  @Test("is left without the processes of that host, which are ended and told of")
  func processes() async throws {
    let bench = try ServerBench(["one": "on_restart: leave\noperations: [{ name: a, approve: may it? }]"])
    try await bench.serve { _, _ in }
    let history = try bench.history()
    defer { history.workspace.close() }
    let run = try bench.start("one", in: history)
    try await loseHost(of: [run], in: history)
    let left = try sleeper(of: run)
    defer { kill(left, SIGKILL) }
    #expect(isRunning(left))
    try await bench.serve { _, history in
      #expect(!isRunning(left))
      let state = try state(run, in: history)
      #expect(state == .interrupted)
      let words = "'one' stays interrupted; ended 1 process that the former host had left running"
      #expect(bench.log.contains { $0.hasSuffix(words) }, "\(bench.log)")
    }
  }
}

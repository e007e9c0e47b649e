import PipelineEngine
import PipelineLanguage
import PipelineService
import RunHistory
import RunReports
import Server
import Testing
import Workspace

@Suite("An interrupted run with a request to cancel it")
struct InterruptedRunTests {
  private func state(_ run: RunID, in history: History) throws -> RunState? { try history.run(run)?.state }

  private func cancel(_ run: RunID, isKill: Bool = false, in history: History) throws -> RunCancellation {
    try RunCancellation(of: #require(try history.run(run)), isKill: isKill, who: "ada", in: history)
  }

  /// A run that asks a question and that its host has left.
  private func leave(_ bench: ServerBench, onRestart: String) async throws -> RunID {
    try bench.write(
      """
      on_restart: \(onRestart)
      operations: [{ name: a, approve: may it? }]
      after: { cancel: [{ name: note, value: 1 }] }
      """, to: "one")
    var run: RunID?
    try await bench.serve { _, history in
      let started = try bench.start("one", in: history)
      run = started
      try await eventually { try !history.pendingApprovals(started).isEmpty }
    }
    return try #require(run)
  }

  private func expectCancelled(_ run: RunID, in history: History) async throws {
    try await eventually { try state(run, in: history) == .cancelled }
    let record = try #require(try history.run(run))
    #expect(record.canceller == RunCanceller(who: "ada", means: .command))
    let operations = try history.operations(of: run)
    #expect(operations.map(\.name) == ["a", "note"])
    #expect(operations.map(\.state) == [.cancelled, .succeeded])
  }

  @Test(
    "is ended by the next host, with its handlers, whatever `on_restart` of its pipeline is",
    arguments: ["resume", "fail", "leave"])
  func nextHost(onRestart: String) async throws {
    let bench = try ServerBench()
    let run = try await leave(bench, onRestart: onRestart)
    let history = try bench.history()
    defer { history.workspace.close() }
    #expect(try state(run, in: history) == .interrupted)
    #expect(try cancel(run, in: history).isLeftToNextHost)
    try await bench.serve { _, history in try await expectCancelled(run, in: history) }
  }

  @Test("counts in the queue in which it began, even if its file has changed") func queue() async throws {
    let bench = try ServerBench(["one": "queue: heavy\noperations: [{ name: a, approve: may it? }]"]) {
      $0.use(
        HostDefinition.load(text: "queues: { heavy: { runs: 1 }, light: { runs: 1 } }", path: "host.yaml").host
          ?? HostDefinition())
    }
    var run: RunID?
    try await bench.serve { _, history in
      let started = try bench.start("one", in: history)
      run = started
      try await eventually { try !history.pendingApprovals(started).isEmpty }
    }
    let left = try #require(run)
    try bench.write("queue: light\noperations: [", to: "one")
    let history = try bench.history()
    #expect(try history.recordedQueue(of: left) == "heavy")
    history.workspace.close()
  }

  @Test("is ended by the host that serves the workspace")
  func presentHost() async throws {
    let bench = try ServerBench()
    let run = try await leave(bench, onRestart: "leave")
    try await bench.serve { _, history in
      #expect(try state(run, in: history) == .interrupted)
      #expect(try !cancel(run, in: history).isLeftToNextHost)
      try await expectCancelled(run, in: history)
    }
  }

  @Test("is ended even if its earlier host had accepted the request but not completed it")
  func takenBefore() async throws {
    let bench = try ServerBench()
    let run = try await leave(bench, onRestart: "resume")
    let history = try bench.history()
    defer { history.workspace.close() }
    try history.request(.cancel, of: run, for: RunCanceller(who: "ada", means: .command))
    let recorder = HistoryRecorder(workspace: history.workspace)
    try await recorder.perform { try $0.execute(sql: "UPDATE request SET taken_at = requested_at") }
    try await recorder.close()
    try await bench.serve { _, history in try await expectCancelled(run, in: history) }
  }

  @Test("is ended by a host even if it was not a run of a host")
  func foreign() async throws {
    let bench = try ServerBench()
    let run = try await leave(bench, onRestart: "resume")
    let history = try bench.history()
    defer { history.workspace.close() }
    let recorder = HistoryRecorder(workspace: history.workspace)
    try await recorder.perform { try $0.execute(sql: "DELETE FROM occasion") }
    try await recorder.close()
    try await bench.serve { _, history in
      #expect(try state(run, in: history) == .interrupted)
      _ = try cancel(run, in: history)
      try await expectCancelled(run, in: history)
    }
  }

  @Test("is killed on request")
  func kill() async throws {
    let bench = try ServerBench()
    let run = try await leave(bench, onRestart: "leave")
    try await bench.serve { _, history in
      _ = try cancel(run, isKill: true, in: history)
      try await eventually { try state(run, in: history) == .cancelled }
      #expect(try history.run(run)?.canceller == RunCanceller(who: "ada", means: .kill))
    }
  }

  @Test("continues if a user resumes it nevertheless")
  func resumed() async throws {
    let bench = try ServerBench()
    let run = try await leave(bench, onRestart: "leave")
    let history = try bench.history()
    defer { history.workspace.close() }
    _ = try cancel(run, in: history)
    try history.ask(.resume, about: run, for: Requester("bob"), at: .now)
    try await bench.serve { _, history in
      try await eventually { try state(run, in: history) == .running }
      _ = try history.answerApproval(run, operation: "a", approved: true, note: nil, who: "ada")
      try await eventually { try state(run, in: history) == .succeeded }
    }
  }

  @Test("is replaced by a later run of its pipeline if `overlap` says so")
  func overlap() async throws {
    let bench = try ServerBench(["one": "overlap: cancel\noperations: [{ name: a, approve: may it? }]"])
    var former: RunID?
    try await bench.serve { _, history in
      let run = try bench.start("one", in: history)
      former = run
      try await eventually { try !history.pendingApprovals(run).isEmpty }
    }
    let history = try bench.history()
    defer { history.workspace.close() }
    let replaced = try #require(former)
    let later = try bench.start("one", in: history)
    try await bench.serve { _, history in
      try await eventually { try state(replaced, in: history) == .cancelled }
      #expect(try history.run(replaced)?.canceller == RunCanceller(who: later.text, means: .overlap))
      try await eventually { try !history.pendingApprovals(later).isEmpty }
      _ = try history.answerApproval(later, operation: "a", approved: true, note: nil, who: "ada")
      try await eventually { try state(later, in: history) == .succeeded }
    }
  }

  @Test("is cancelled without being started if nothing of it had begun")
  func queued() async throws {
    let bench = try ServerBench(["one": "operations: [{ name: a, value: 1 }]"])
    try await bench.serve { _, _ in }
    let history = try bench.history()
    defer { history.workspace.close() }
    let run = try bench.start("one", in: history)
    let recorder = HistoryRecorder(workspace: history.workspace)
    _ = try await recorder.takeQueued(
      QueueTurns.Places(total: 1), held: [], single: [], host: "box", at: .now)
    // Its host takes the request, and is gone before it has begun the run.
    _ = try cancel(run, in: history)
    try await recorder.perform { db in
      try db.execute(sql: "UPDATE request SET taken_at = requested_at")
      try db.execute(sql: "UPDATE run_record SET process_started = 1")
    }
    try await recorder.close()
    try await bench.serve { _, history in try await eventually { try state(run, in: history) == .cancelled } }
    #expect(try history.run(run)?.startedAt == nil)
    #expect(try history.occasions().map(\.reason) == [.cancelled])
  }
}

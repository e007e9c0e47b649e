import Foundation
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

/// A host that is lost during its runs: according to the history its process no longer exists, and another host resumes them.
final class LostHost {
  private let host: EngineTestHost
  private let executor: ScriptedExecutor
  private let clock = SettableClock()
  /// What the lost hosts still wait for, until they are closed.
  private var left: [(engine: RunEngine, run: Task<Void, Never>)] = []

  /// Whether jobs end with their host, and are recorded like those of the local executor.
  private let jobsEnd: Bool

  init(
    _ fates: [String: [ScriptedExecutor.Fate]], by door: Door = .handles, named name: String = "scripted",
    jobsEnd: Bool = false
  ) throws {
    self.jobsEnd = jobsEnd
    executor = ScriptedExecutor(fates, by: door, keepsHandles: door == .fast, name: name)
    host = try EngineTestHost(executor: executor, clock: clock, isLent: true)
  }

  /// Runs a pipeline until this many of its jobs hang and this many questions are asked, when the host is lost.
  func run(
    _ text: String, nested: [String: String] = [:], untilHanging hanging: Int, asking: Int = 0
  ) async throws -> RunID {
    let asked = AwaitedCount()
    let engine = try host.engine(text, nested: nested) { event in if case .approval = event { asked.add(1) } }
    leave(engine) { _ = try await self.host.run(engine) }
    try await executor.hangingCount.reaches(hanging)
    try await asked.reaches(asking)
    try await recorded(hanging, by: executor)
    try await abandon([engine])
    return engine.id
  }

  private func leave(_ engine: RunEngine, _ body: @escaping () async throws -> Void) {
    nonisolated(unsafe) let body = body
    left.append((engine, Task(executorPreference: host.loop) { try? await body() }))
  }

  /// Waits until this many hanging jobs are in the history: jobs started by handles are recorded before they hang, others once they have lasted.
  private func recorded(_ hanging: Int, by executor: ScriptedExecutor) async throws {
    guard executor.door == .fast else { return }
    let jobs = Set(executor.started.map(\.id))
    while try jobs.count(where: { try isRunning($0) }) < hanging { try await Task.sleep(for: .milliseconds(1)) }
  }

  private func isRunning(_ job: JobID) throws -> Bool {
    try host.services.history.attempts(of: job.run).contains {
      $0.ordinal == job.ordinal && $0.number == job.attempt && $0.state == .running
    }
  }

  /// Makes the history see a different process than the one that has this id now.
  private func abandon(_ engines: [RunEngine]) async throws {
    for engine in engines { await engine.recordNoMore() }
    try await host.services.recorder.flush()
    try await host.services.recorder.perform { [jobsEnd] db in
      if jobsEnd { try db.execute(sql: "UPDATE attempt_record SET executor = NULL, handle = NULL") }
      try db.execute(sql: "UPDATE run_record SET process_started = 1 WHERE state IN ('queued', 'running')")
    }
  }

  /// Removes the executor's name for a job, as if the host had been lost between the start of the job and the executor's answer.
  func forgetHandle(_ run: RunID) async throws {
    try await host.services.recorder.perform { db in
      try db.execute(sql: "UPDATE attempt_record SET handle = NULL WHERE handle LIKE ?", arguments: ["\(run.text)%"])
    }
  }

  func answer(_ run: RunID, operation: String, _ answer: Bool) throws -> ApprovalOutcome {
    try host.services.history.answerApproval(run, operation: operation, approved: answer, note: nil, who: "ann")
  }

  func create(_ name: String) { host.create(name) }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(host.directory)/\(name)") }

  /// Lets time pass between one host and the next.
  func pass(_ time: Duration) { clock.pass(time) }

  /// Hands the jobs of the lost host to another executor, each with a new fate.
  func hand(to other: ScriptedExecutor, _ fates: [String: ScriptedExecutor.Fate]) async {
    let executor = executor
    await Task(executorPreference: host.loop) { other.inherit(executor, fates) }.value
  }

  /// Lets a hanging job end.
  func release(_ command: String, of executor: ScriptedExecutor, _ cause: JobEnd.Cause = .exited(0)) async {
    await Task(executorPreference: host.loop) { executor.release(command, cause) }.value
  }

  /// Resumes a run in another host, to its end. `meanwhile` receives that host, and can cancel the run.
  @discardableResult
  func resume(
    _ id: RunID, _ executor: ScriptedExecutor,
    meanwhile: (_ successor: RunHost, _ cancel: () -> Void) async throws -> Void = { _, _ in }
  ) async throws -> FinishedRun {
    let successor = self.successor(executor)
    let run = Task { try await successor.resume(id) }
    try await meanwhile(successor) { run.cancel() }
    return try host.finished(await run.value)
  }

  /// Resumes a run in another host, which is lost too when this many jobs hang.
  func resume(_ id: RunID, _ executor: ScriptedExecutor, untilHanging hanging: Int) async throws {
    let successor = self.successor(executor)
    let run = Task(executorPreference: host.loop) { _ = try? await successor.resume(id) }
    try await executor.hangingCount.reaches(hanging)
    try await recorded(hanging, by: executor)
    try await abandon(successor.running.withLock { Array($0.values) })
    others.append((successor, executor, run))
  }

  /// Lets another host record that a run has failed, and returns the run.
  func fail(_ id: RunID, _ executor: ScriptedExecutor) async throws -> RunRecord? {
    let history = host.services.history
    try history.markInterrupted()
    let run = try #require(try history.run(id))
    try await successor(executor).fail(run)
    return try history.run(id)
  }

  private func successor(_ executor: ScriptedExecutor) -> RunHost {
    let services = host.successor(executor)
    recorders.append(services.recorder)
    return RunHost(services: services)
  }

  private var recorders: [HistoryRecorder] = []
  private var others: [(host: RunHost, executor: ScriptedExecutor, run: Task<Void, Never>)] = []

  func close() async {
    for (engine, run) in left {
      await engine.lose(engine.id)
      await Task(executorPreference: host.loop) { [executor] in executor.releaseAll() }.value
      await run.value
    }
    for (other, executor, run) in others {
      let engines = other.running.withLock { Array($0.values) }
      for engine in engines { await engine.lose(engine.id) }
      await Task(executorPreference: host.loop) { executor.releaseAll() }.value
      await run.value
    }
    for recorder in recorders { try? await recorder.close() }
    await host.close()
  }
}

extension RunEngine {
  /// Stops recording, as if the host no longer existed: requests are not received, and lasting states are no longer recorded.
  fileprivate func recordNoMore() {
    run.recorder.stop()
    run.services.requests.remove(id)
    for child in run.children.values { (child as? RunEngine)?.assumeIsolated { $0.recordNoMore() } }
  }
}

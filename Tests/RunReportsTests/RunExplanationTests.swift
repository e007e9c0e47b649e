import PipelineLanguage
import Testing
import Workspace

@testable import RunHistory
@testable import RunReports

@Suite("The explanation of a run")
struct RunExplanationTests {
  private func remedies(_ holders: [ResourceHolds.Holder]) throws -> [String] {
    let record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    let operation = OperationRecord(
      run: record.id, ordinal: 0, name: "work", position: 0, state: .waiting, reason: "resources",
      detail: #"{"resources":["gpu"]}"#)
    let whole = RecordedRun(run: record, definition: "", operations: [operation], attempts: [], approvals: [])
    let explanation = RunExplanation(
      of: whole, pipeline: nil, operation: "work", shortID: "1", holders: { $0 == ["gpu"] ? holders : [] })
    return try #require(explanation.entries.first).remedies
  }

  @Test("reports what the computer lacks for a running operation")
  func shortage() throws {
    var record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    record.state = .running
    let operation = OperationRecord(
      run: record.id, ordinal: 0, name: "work", position: 0, state: .running, reason: "shortage",
      detail: #"{"why":"fork failed"}"#, attempts: 1)
    let whole = RecordedRun(run: record, definition: "", operations: [operation], attempts: [], approvals: [])
    let entry = try #require(
      RunExplanation(of: whole, pipeline: nil, operation: "work", shortID: "1").entries.first)
    #expect(entry.because.last == "it waits for system resources: fork failed")
    #expect(entry.remedies == ["it is retried every second and continues by itself"])
  }

  @Test("reports what a job waits for on its cluster")
  func clusterWait() throws {
    let now = RecordTime(microseconds: 1_800_000_000_000_000)
    var wait = OperationReason.ExecutorWait(executor: "cluster")
    (wait.job, wait.state, wait.word) = ("4711_17", "PENDING", "Resources")
    wait.why = "it is next, and starts when enough processors are free"
    (wait.partition, wait.demand) = ("main", "8 CPUs, 16GiB, 1 GPU")
    (wait.since, wait.start) = (now.advanced(by: -720_000_000), now.advanced(by: 1_380_000_000))
    let head =
      "it has been waiting in Slurm job 4711_17 for 12m00s: PENDING (Resources), partition main, 8 CPUs, 16GiB, 1 GPU"
    let start = ClockText.moment(now.advanced(by: 1_380_000_000), seenFrom: now)
    #expect(
      try because(wait, now) == ["\(head); estimated start \(start), in 23m00s", wait.why].compactMap(\.self))
    wait.start = nil
    wait.silentSince = now
    let silence = "Slurm has not answered since \(ClockText.moment(now, seenFrom: now)); running jobs continue"
    #expect(try because(wait, now) == [head, wait.why, silence].compactMap(\.self))
    var held = OperationReason.ExecutorWait(executor: "cluster")
    held.why = "Slurm accepts no more jobs"
    #expect(
      try because(held, now) == ["it has been waiting to be submitted to 'cluster': Slurm accepts no more jobs"])
    var suspended = OperationReason.ExecutorWait(executor: "cluster", phase: .suspended)
    suspended.job = "4711_17"
    #expect(try because(suspended, now).last == "it is suspended in Slurm job 4711_17")
    #expect(try because(suspended, now).count == 2)
  }

  private func because(_ wait: OperationReason.ExecutorWait, _ now: RecordTime) throws -> [String] {
    var record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    record.state = .running
    let reason = OperationReason.executor(wait)
    let operation = OperationRecord(
      run: record.id, ordinal: 0, name: "work", position: 0, state: .running, reason: reason.code,
      detail: OperationReason.detail(reason)?.text, attempts: 1)
    let whole = RecordedRun(run: record, definition: "", operations: [operation], attempts: [], approvals: [])
    let entry = try #require(
      RunExplanation(of: whole, pipeline: nil, operation: "work", shortID: "1", now: now).entries.first)
    // The last sentence is about the attempt in detail.
    return entry.because
  }

  @Test(
    "names the operations that occupy all slots of the run, with and without `concurrency`", arguments: [true, false])
  func slots(isDeclared: Bool) throws {
    let pipeline = try #require(
      PipelineLoader.load(
        text: """
          name: p
          \(isDeclared ? "concurrency: 2" : "")
          operations: [{ name: a, run: x }, { name: b, run: x }, { name: c, run: x }]
          """, path: "/p.yaml"
      ).pipeline)
    var record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    record.state = .running
    let operations = ["a", "b"].enumerated().map { ordinal, name in
      OperationRecord(run: record.id, ordinal: ordinal, name: name, position: ordinal, state: .running, attempts: 1)
    }
    let whole = RecordedRun(run: record, definition: "", operations: operations, attempts: [], approvals: [])
    func entry(processors: Int?) throws -> RunExplanation.Entry {
      try #require(
        RunExplanation(of: whole, pipeline: pipeline, operation: "c", shortID: "1", processors: processors).entries
          .first)
    }
    let known = try entry(processors: 2)
    #expect(
      known.because == [
        "it waits for a free slot: 'a' and 'b' are running, and \(isDeclared ? "`concurrency` of the run allows 2" : "without `concurrency`, a run has 2 slots")"
      ])
    #expect(known.remedies == ["it begins when another operation ends; `concurrency` allows more at once"])
    guard !isDeclared else { return }
    #expect(try entry(processors: nil).because == ["it is about to begin, or waits for a free slot"])
  }

  @Test("calls the operations of a run that ended before it began cancelled, not pending")
  func neverBegun() throws {
    let pipeline = try #require(
      PipelineLoader.load(
        text: "name: p\noperations: [{ name: a, run: x }, { name: b, run: x, needs: a }]", path: "/p.yaml"
      )
      .pipeline)
    var record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    record.state = .failed
    let whole = RecordedRun(run: record, definition: "", operations: [], attempts: [], approvals: [])
    let entries = RunExplanation(of: whole, pipeline: pipeline, operation: nil, shortID: "1").entries.dropFirst()
    #expect(entries.map(\.state) == ["cancelled", "cancelled"])
    #expect(entries.allSatisfy { $0.because == ["the run ended before it could begin"] && $0.remedies.isEmpty })
    record.state = .interrupted
    let interrupted = RecordedRun(run: record, definition: "", operations: [], attempts: [], approvals: [])
    let entry = RunExplanation(of: interrupted, pipeline: pipeline, operation: "a", shortID: "1").entries.first
    #expect(entry?.state == "pending")
  }

  @Test("measures from the start of the current attempt, not of the first one")
  func laterAttempt() throws {
    var record = RunRecord(
      id: RunID(bits: 1), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "")
    record.state = .running
    let now = RecordTime.now
    func before(_ seconds: Int64) -> RecordTime { RecordTime(microseconds: now.microseconds - seconds * 1_000_000) }
    var operation = OperationRecord(
      run: record.id, ordinal: 0, name: "work", position: 0, state: .running, attempts: 2)
    operation.startedAt = before(28)
    let attempts = [
      AttemptRecord(run: record.id, ordinal: 0, number: 1, state: .failed, startedAt: before(28)),
      AttemptRecord(run: record.id, ordinal: 0, number: 2, state: .running, startedAt: before(3)),
    ]
    let whole = RecordedRun(
      run: record, definition: "", operations: [operation], attempts: attempts, approvals: [])
    let entry = try #require(
      RunExplanation(of: whole, pipeline: nil, operation: "work", shortID: "1", now: now).entries.first)
    #expect(entry.because.first == "attempt 2 has been running for 3.0s")
  }

  @Test("names the holders of a resource that an operation waits for, in any process")
  func holders() throws {
    func holder(_ number: UInt64) -> ResourceHolds.Holder {
      ResourceHolds.Holder(
        share: .init("gpu", 1), run: RunID(bits: number), operation: "train",
        owner: ProcessIdentity(boot: "b", pid: Int32(number), started: 1))
    }
    #expect(try remedies([]) == ["it begins when what holds the resources ends"])
    let one = "'train' of run \(RunID(bits: 7).short) in process 7"
    #expect(try remedies([holder(7)]) == ["it begins when enough is released by " + one])
    let many = try remedies((7..<12).map(holder))
    #expect(many.first?.hasSuffix(" and 2 more") == true)
  }
}

import Foundation
import SQLite
import Synchronization
import Testing
import Workspace

@testable import RunHistory

@Suite("Runs whose process no longer exists")
struct OwnershipTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  @Test("are shown as interrupted by readers that cannot write")
  func shown() async throws {
    let run = try await fixture.abandoned()
    let reader = try History.open(at: fixture.directory, mode: .readOnly)
    #expect(try reader.run(run)?.state == .interrupted)
    #expect(try reader.runs(RunFilter(states: [.interrupted])).map(\.id) == [run])
    #expect(try reader.runs(RunFilter(states: [.running])).isEmpty)
    #expect(try reader.operations(of: run).map(\.state) == [.pending, .pending])
    #expect(try reader.attempts(of: run).first?.error?.code == "host-died")
    #expect(try fixture.rows("SELECT state FROM runs") == [[.text("running")]])
  }

  @Test("are marked once, with their attempts and operations")
  func marked() async throws {
    let run = try await fixture.abandoned()
    let mine = fixture.record()
    fixture.recorder.record(.runCreated(mine, definition: ""))
    try await fixture.recorder.flush()
    #expect(try history.markInterrupted() == [run])
    #expect(try history.markInterrupted() == [])
    #expect(try fixture.rows("SELECT state FROM operations") == [[.text("pending")], [.text("pending")]])
    #expect(try fixture.rows("SELECT state, error_code FROM attempts") == [[.text("failed"), .text("host-died")]])
    #expect(try history.run(mine.id)?.state == .queued)
    #expect(try history.latestRun(for: .resume)?.id == run)
  }

  @Test("lose unrecorded results, which may contain secrets, and keep recorded ones")
  func leftovers() async throws {
    let run = try await fixture.abandoned()
    let directory = "\(fixture.directory)/runs/\(run.text)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for name in ["1.out", "1.result", "2.result", "2.result.masked", "3-2.result"] {
      try Data("hunter2".utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
    }
    try FileManager.default.createDirectory(atPath: "\(directory)/4.result/5", withIntermediateDirectories: true)
    fixture.recorder.record(
      .attempt(
        AttemptRecord(
          run: run, ordinal: 1, number: 1, state: .succeeded, startedAt: HistoryFixture.start,
          result: .file(path: "runs/\(run.text)/1.result", size: 7))))
    try await fixture.recorder.flush()
    #expect(try history.markInterrupted() == [run])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == ["1.out", "1.result"])
  }

  @Test("lose unrecorded results even to a command that only reads")
  func leftoversOfReaders() async throws {
    let run = try await fixture.abandoned()
    let directory = "\(fixture.directory)/runs/\(run.text)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data("hunter2".utf8).write(to: URL(fileURLWithPath: "\(directory)/1.result"))
    let reader = try History.open(at: fixture.directory, mode: .readOnly)
    reader.markInterruptedIfPossible()
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
  }

  @Test("are claimed by only one process, which then owns them")
  func claimed() async throws {
    let run = try await fixture.abandoned()
    try history.request(.cancel, of: run)
    let claimed = try await fixture.recorder.claim(run)
    #expect(claimed?.state == .running && claimed?.owner == .current)
    #expect(try await fixture.recorder.claim(run) == nil)
    #expect(try await fixture.takeRequests(run) == [], "a request to the former process does not meet the new one")
    #expect(try await fixture.recorder.claim(.generate()) == nil)
    let ended = try await fixture.ended()
    #expect(try await fixture.recorder.claim(ended) == nil)
  }

  @Test("are claimed as running, whether or not they were marked as interrupted", arguments: [false, true])
  func claimedAfterwards(isMarked: Bool) async throws {
    let run = try await fixture.abandoned()
    if isMarked { #expect(try history.markInterrupted() == [run]) }
    let claimed = try #require(try await fixture.recorder.claim(run))
    #expect(claimed.state == .running && claimed.owner == .current)
    #expect(claimed.reason == nil && claimed.endedAt == nil)
    #expect(try history.isOwned(run, fence: claimed.fence))
  }

  @Test("no longer have waiting operations")
  func waitingNoMore() async throws {
    let run = try await fixture.abandoned()
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: run, ordinal: 0, name: "fetch", position: 0, state: .waiting, reason: "gate",
          waitingSince: HistoryFixture.start)))
    try await fixture.recorder.flush()
    #expect(try history.markInterrupted() == [run])
    let fetch = try #require(try history.operations(of: run).first)
    #expect(fetch.state == .pending && fetch.reason == nil && fetch.waitingSince == nil)
  }

  @Test("are loaded with everything that is needed to resume them")
  func loaded() async throws {
    let run = try await fixture.abandoned()
    let whole = try history.loadForResume(run)
    #expect(whole?.definition == "name: digest")
    #expect(whole?.operations.map(\.name) == ["fetch", "count"])
    #expect(whole?.attempts.map(\.pid) == [99])
    #expect(try history.loadForResume(.generate()) == nil)
  }

  /// Makes a run of this process appear abandoned, as it does to another computer or process namespace.
  private func hide(_ run: RunID) throws {
    try fixture.workspace.write {
      try $0.execute(sql: "UPDATE run_record SET process_started = 1 WHERE id = ?", arguments: [run.text])
    }
  }

  @Test("reject what their former process records, without affecting its other runs", arguments: [false, true])
  func fenced(isDeleted: Bool) async throws {
    let lost = Mutex<Set<RunID>>([])
    let recorder = HistoryRecorder(
      workspace: fixture.workspace, onLoss: { run in lost.withLock { _ = $0.insert(run) } })
    let (taken, kept) = (fixture.record(), fixture.record())
    recorder.record(.runCreated(taken, definition: ""))
    recorder.record(.runCreated(kept, definition: ""))
    try await recorder.flush()
    try hide(taken.id)
    #expect(try history.markInterrupted() == [taken.id])
    if isDeleted {
      #expect(try history.prune(PruneRule(keep: 0, includesInterrupted: true)).runs == [taken.id])
      // The row number of the deleted run may be reused for another one.
      try await fixture.ended()
    }
    let before = try fixture.rows("SELECT id, state FROM runs WHERE id <> '\(kept.id)'")
    for run in [taken.id, kept.id] {
      recorder.record(.runStarted(run, at: HistoryFixture.start))
      let operation = OperationRecord(run: run, ordinal: 7, name: "late", position: 7, state: .succeeded)
      recorder.record(.operation(operation))
      recorder.record(
        .operationWithAttempt(
          operation, AttemptRecord(run: run, ordinal: 7, number: 1, state: .succeeded, startedAt: .now)))
      recorder.record(.runEnded(run, state: .succeeded, reason: nil, counts: RunCounts(), at: .now))
    }
    try await recorder.flush()
    #expect(try fixture.rows("SELECT id, state FROM runs WHERE id <> '\(kept.id)'") == before)
    #expect(try fixture.rows("SELECT run FROM operations WHERE operation = 'late'") == [[.text(kept.id.text)]])
    #expect(try fixture.rows("SELECT run FROM attempts WHERE operation = 'late'") == [[.text(kept.id.text)]])
    #expect(lost.withLock { $0 } == [taken.id])
    try await recorder.close()
  }

  @Test("reject what their former process records, whichever connection claimed them", arguments: [false, true])
  func fencedByAnyConnection(isForeign: Bool) async throws {
    let recorder = HistoryRecorder(workspace: fixture.workspace)
    let run = fixture.record()
    recorder.record(.runCreated(run, definition: ""))
    recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    try await recorder.flush()
    let take = "UPDATE run_record SET fence = fence + 1 WHERE id = ?"
    if isForeign {
      let other = try History.open(at: fixture.directory, mode: .readWrite)
      try await other.workspace.write { try $0.execute(sql: take, arguments: [run.id.text]) }
      other.workspace.close()
    } else {
      try await recorder.perform { try $0.execute(sql: take, arguments: [run.id.text]) }
    }
    recorder.record(.runEnded(run.id, state: .succeeded, reason: nil, counts: RunCounts(), at: .now))
    try await recorder.flush()
    #expect(try history.run(run.id)?.endedAt == nil)
    try await recorder.close()
  }

  @Test("reject what their former process records, however many others have ended since", arguments: [false, true])
  func fencedLongAfter(isResumed: Bool) async throws {
    let recorder = HistoryRecorder(workspace: fixture.workspace)
    let run = fixture.record().id
    let take = "UPDATE run_record SET fence = coalesce(fence, 0) + 1 WHERE id = ?"
    func recordLate() async throws {
      recorder.record(.operation(OperationRecord(run: run, ordinal: 0, name: "a", position: 0, state: .succeeded)))
      try await recorder.flush()
    }
    recorder.record(.runCreated(fixture.record(id: run), definition: ""))
    recorder.record(.runEnded(run, state: .interrupted, reason: nil, counts: RunCounts(), at: .now))
    try await recorder.flush()
    if isResumed {
      #expect(try await recorder.claim(run) != nil)
    } else {
      try await recorder.perform { try $0.execute(sql: take, arguments: [run.text]) }
      try await recordLate()
    }
    for _ in 0..<600 {
      let other = fixture.record()
      recorder.record(.runCreated(other, definition: ""))
      recorder.record(.runEnded(other.id, state: .succeeded, reason: nil, counts: RunCounts(), at: .now))
    }
    try await recorder.flush()
    if isResumed { try await recorder.perform { try $0.execute(sql: take, arguments: [run.text]) } }
    try await recordLate()
    #expect(try history.operations(of: run) == [])
    try await recorder.close()
  }

  @Test("accept records of the process that claims them, even if it had lost them before")
  func reclaimed() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    try hide(run.id)
    try history.markInterrupted()
    let claimed = try #require(try await fixture.recorder.claim(run.id))
    #expect(try history.isOwned(run.id, fence: claimed.fence))
    #expect(try !history.isOwned(run.id, fence: run.fence))
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 0, name: "again", position: 0, state: .succeeded)))
    try await fixture.recorder.flush()
    #expect(try history.operations(of: run.id).map(\.name) == ["again"])
  }

  @Test("are fenced off by doctor --repair, and keep their leases until they have ended")
  func fencedWithLeases() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    _ = try await fixture.recorder.perform {
      try Leases.acquire("disk", holder: "run \(run.id.text)", owner: HistoryFixture.deadOwner, in: $0)
    }
    try hide(run.id)
    #expect(try history.releaseAbandonedLeases() == 0)
    #expect(try !history.isOwned(run.id, fence: run.fence))
    #expect(try fixture.rows("SELECT state FROM runs") == [[.text("interrupted")]])
    // The lease tells its next holder which processes to terminate first.
    #expect(try history.abandonedLeases().needed.map(\.name) == ["disk"])
    try await fixture.workspace.write { try $0.execute(sql: "UPDATE run_record SET state = 'failed'") }
    #expect(try history.releaseAbandonedLeases() == 1)
  }

  @Test("leave requests to the process that owns them now")
  func requests() async throws {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    try await fixture.recorder.flush()
    try history.request(.cancel, of: run.id)
    #expect(try await fixture.takeRequests(run.id, fence: run.fence + 1) == [])
    #expect(try await fixture.takeRequests(run.id, fence: run.fence) == [.cancel])
  }
}

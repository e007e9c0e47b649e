import Foundation
import Testing
import Workspace

@testable import RunHistory

@Suite("Pruning")
struct PruneTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws {
    fixture = try HistoryFixture()
  }

  private func time(_ minutes: Int) -> RecordTime {
    HistoryFixture.start.advanced(by: Int64(minutes) * 60_000_000)
  }

  @Test("Old runs are deleted with all their records and nested runs")
  func byAge() async throws {
    let old = try await fixture.ended(at: time(0))
    let nested = try await fixture.ended("inner", at: time(5), parent: RunRecord.Parent(run: old, operation: "x"))
    let young = try await fixture.ended("other", at: time(4))
    let rule = PruneRule(olderThan: time(3))
    let expected = PruneReport(runs: [old, nested], operations: 4, attempts: 6)
    #expect(try history.prune(rule, dryRun: true) == expected)
    #expect(try history.run(old) != nil)
    #expect(try history.prune(rule) == expected)
    #expect(try history.prune(rule) == PruneReport())
    #expect(try history.runs(RunFilter(includesNested: true)).map(\.id) == [young])
    #expect(try fixture.rows("SELECT count(*) FROM operation_record") == [[.int(2)]])
    #expect(try fixture.rows("SELECT count(*) FROM attempt_record") == [[.int(3)]])
    #expect(try fixture.rows("SELECT hash FROM definition") == [[.text("hash-of-other")]])
  }

  @Test("The given number of latest runs of each pipeline is kept")
  func byCount() async throws {
    var first: [RunID] = []
    for minute in 0..<5 { first.append(try await fixture.ended("a", at: time(minute))) }
    let second = try await fixture.ended("b", at: time(0))
    #expect(try history.prune(PruneRule(keep: 2), dryRun: true).runs == [first[2], first[1], first[0]])
    #expect(try history.prune(PruneRule(olderThan: time(1), keep: 2), dryRun: true).runs == [first[0]])
    #expect(try history.prune(PruneRule(keep: 0, pipeline: "b"), dryRun: true).runs == [second])
    #expect(try history.prune(PruneRule(), dryRun: true).runs == [])
    #expect(try history.prune(PruneRule(keep: 2)).runs.count == 3)
    #expect(try history.runs().count == 3)
  }

  @Test("A run created exactly at the limit is not older", arguments: [nil, 0])
  func atTheInstant(keep: Int?) async throws {
    _ = try await fixture.ended(at: time(3))
    #expect(try history.prune(PruneRule(olderThan: time(3), keep: keep)).runs == [])
  }

  @Test("A run that was resumed after it was selected is kept")
  func resumed() async throws {
    let run = try await fixture.abandoned(at: time(0))
    let rule = PruneRule(olderThan: time(9), includesInterrupted: true)
    let selected = try history.read { try PruneSelection(rule: rule).runs(in: $0) }
    #expect(selected.map(\.record.id) == [run])
    #expect(try await fixture.recorder.claim(run) != nil)
    var report = PruneReport()
    try history.write { try PruneSelection.delete(selected[...], into: &report, in: $0) }
    #expect(report == PruneReport())
    #expect(try history.operations(of: run).count == 2)
  }

  @Test("Running runs are kept, and interrupted ones unless requested otherwise")
  func running() async throws {
    let run = fixture.record(at: time(0))
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: time(0)))
    let dead = try await fixture.abandoned(at: time(0))
    #expect(try history.prune(PruneRule(olderThan: time(9))).runs == [])
    _ = try history.markInterrupted()
    #expect(try history.prune(PruneRule(olderThan: time(9), keep: 0)).runs == [])
    #expect(try history.prune(PruneRule(olderThan: time(9), includesInterrupted: true)).runs == [dead])
    #expect(try history.runs().map(\.id) == [run.id])
  }

  @Test("The recorded definitions of nested pipelines are deleted with the run that they were recorded for")
  func nestedDefinitions() async throws {
    var runs: [RunID] = []
    for minute in 0..<2 {
      let run = fixture.record("outer", at: time(minute), state: .succeeded)
      fixture.recorder.record(
        .runCreated(run, definition: "", nested: ["/x/inner.yaml": "name: inner \(minute)"]))
      runs.append(run.id)
    }
    try await fixture.recorder.flush()
    #expect(try history.nestedDefinitions(of: runs[0]) == ["/x/inner.yaml": "name: inner 0"])
    #expect(try history.prune(PruneRule(keep: 1)).runs == [runs[0]])
    #expect(try history.nestedDefinitions(of: runs[0]) == [:])
    #expect(try history.nestedDefinitions(of: runs[1]) == ["/x/inner.yaml": "name: inner 1"])
    #expect(try history.loadForResume(runs[1])?.nestedDefinitions == ["/x/inner.yaml": "name: inner 1"])
  }

  @Test("An interrupted nested run is deleted with the ended run that started it")
  func nestedInterrupted() async throws {
    let outer = try await fixture.ended(at: time(0))
    let inner = try await fixture.ended(
      "inner", at: time(0), state: .interrupted, parent: RunRecord.Parent(run: outer, operation: "x"))
    #expect(try history.prune(PruneRule(olderThan: time(9))).runs == [outer, inner])
  }

  @Test("A nested run whose parent is not in the workspace is deleted on its own, with the runs nested in it")
  func parentless() async throws {
    let stray = try await fixture.ended(
      "inner", at: time(0), parent: RunRecord.Parent(run: .generate(), operation: "x"))
    let nested = try await fixture.ended("inmost", at: time(1), parent: RunRecord.Parent(run: stray, operation: "y"))
    let outer = try await fixture.ended(at: time(5))
    _ = try await fixture.ended("inner", at: time(0), parent: RunRecord.Parent(run: outer, operation: "x"))
    #expect(try history.prune(PruneRule(olderThan: time(3))).runs == [stray, nested])
  }

  @Test("A run whose result file is used by a later run is kept")
  func reusedResult() async throws {
    let source = try await fixture.ended(at: time(0))
    let user = fixture.record(at: time(5))
    fixture.recorder.record(.runCreated(user, definition: ""))
    fixture.recorder.record(
      .operation(
        OperationRecord(
          run: user.id, ordinal: 0, name: "fetch", position: 0, state: .reused,
          result: .file(path: "results/\(source)/fetch", size: 9), reusedFrom: source)))
    fixture.recorder.record(.runEnded(user.id, state: .succeeded, reason: nil, counts: RunCounts(), at: time(6)))
    try await fixture.recorder.flush()
    #expect(try history.prune(PruneRule(olderThan: time(3))).runs == [])
    #expect(try history.prune(PruneRule(olderThan: time(9))).runs == [user.id, source])
  }

  @Test("A kept run keeps the runs that it needs, and those that they need in turn")
  func reusedInTurn() async throws {
    var runs: [RunID] = []
    for minute in 0..<4 {
      let run = fixture.record(at: time(minute), state: .succeeded)
      fixture.recorder.record(.runCreated(run, definition: ""))
      fixture.recorder.record(
        .operation(
          OperationRecord(
            run: run.id, ordinal: 0, name: "fetch", position: 0, state: .reused,
            result: .file(path: "results/\(minute)", size: 9), reusedFrom: runs.last)))
      runs.append(run.id)
    }
    try await fixture.recorder.flush()
    #expect(try history.prune(PruneRule(keep: 1)).runs == [])
    #expect(try history.prune(PruneRule(keep: 0)).runs == runs.reversed())
  }

  /// Writes a file of this many bytes for each run.
  private func makeFiles(of runs: [RunID], bytes: Int) throws {
    for run in runs {
      let directory = "\(fixture.directory)/runs/\(run)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try Data(count: bytes).write(to: URL(fileURLWithPath: directory + "/1.out"))
    }
  }

  @Test("On a full disk, the files of the oldest runs are deleted first, and no more than needed to delete the rest")
  func fullDisk() async throws {
    var runs: [RunID] = []
    for minute in 0..<4 { runs.append(try await fixture.ended(at: time(minute))) }
    try makeFiles(of: runs, bytes: 1 << 20)
    let directories = RunDirectories(workspace: fixture.directory)
    var tries: [[RunID]] = []
    let pruning = Pruning(workspace: fixture.directory) { [history] rule, dryRun throws(WorkspaceError) in
      if !dryRun {
        tries.append(directories.all())
        if tries.count < 3 { throw .full(path: "workspace.db") }
      }
      return try history.prune(rule, dryRun: dryRun)
    }
    let (report, removal) = try pruning.run(PruneRule(olderThan: time(3)))
    #expect(report.runs == [runs[2], runs[1], runs[0]])
    #expect(tries.map(Set.init) == [Set(runs), Set(runs[1...]), Set(runs[2...])])
    #expect(removal.bytes == 3 << 20 && removal.failures.isEmpty)
    #expect(directories.all() == [runs[3]])
  }

  @Test(
    "If the disk stays full, records remain without files until the next pruning; kept runs keep their files"
  )
  func diskStaysFull() async throws {
    let old = try await fixture.ended(at: time(0))
    let young = try await fixture.ended(at: time(5))
    try makeFiles(of: [old, young], bytes: 9)
    let pruning = Pruning(workspace: fixture.directory) { [history] rule, dryRun throws(WorkspaceError) in
      guard dryRun else { throw .full(path: "workspace.db") }
      return try history.prune(rule, dryRun: true)
    }
    #expect(throws: WorkspaceError.full(path: "workspace.db")) { try pruning.run(PruneRule(olderThan: time(3))) }
    #expect(RunDirectories(workspace: fixture.directory).all() == [young])
    #expect(try history.run(old) != nil)
    #expect(try Pruning(history).run(PruneRule(olderThan: time(3))).report.runs == [old])
  }
}

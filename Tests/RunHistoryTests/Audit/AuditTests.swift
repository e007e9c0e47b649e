import Foundation
import RunHistory
import Testing
import Workspace

@Suite("The audit")
struct AuditTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }
  let ada = Requester("ada")

  init() throws { fixture = try HistoryFixture() }

  /// Returns a run that is running and whose operation `fetch` is in this state.
  private func running(_ state: OperationState) async throws -> RunID {
    let run = fixture.record()
    fixture.recorder.record(.runCreated(run, definition: ""))
    fixture.recorder.record(.runStarted(run.id, at: HistoryFixture.start))
    fixture.recorder.record(
      .operation(OperationRecord(run: run.id, ordinal: 1, name: "fetch", position: 1, state: state, attempts: 1)))
    try await fixture.recorder.flush()
    return run.id
  }

  private func entries() throws -> [String] {
    try fixture.history.audit().reversed().map {
      "\($0.requester.who) \($0.requester.means.rawValue) \($0.action.rawValue) \($0.target)"
        + ($0.detail.map { ": \($0)" } ?? "")
    }
  }

  @Test("records requests to pipelines and to the host, but not requests that changed nothing")
  func pipelines() throws {
    let until = HistoryFixture.start.advanced(by: 1_000_000)
    try history.pause([
      Pause(pipeline: "nightly", until: until, reason: "moving", who: "ada", since: HistoryFixture.start)
    ])
    _ = try history.unpause(["nightly", "hourly"], for: Requester("bob"), at: HistoryFixture.start)
    try history.ask(.reload, for: ada, at: HistoryFixture.start)
    try history.ask(.drain, for: ada, at: HistoryFixture.start)
    let run = QueuedRun(record: fixture.record("nightly"), definition: "")
    let occasion = Occasion(pipeline: "nightly", cause: .request, askedAt: HistoryFixture.start, askedBy: "ada")
    _ = try history.admit(OccasionRequest(occasion, run: run), for: ada)
    let other = QueuedRun(record: fixture.record("nightly"), definition: "")
    _ = try history.admit(OccasionRequest(occasion, run: other, capacity: 0), for: ada)
    #expect(
      try entries() == [
        "ada command pause nightly: until \(until.text): moving", "bob command unpause nightly",
        "ada command reload host", "ada command drain host",
        "ada command start nightly: run \(run.record.id.text)",
      ])
  }

  @Test("records requests to runs")
  func runs() async throws {
    let run = try await running(.retrying)
    fixture.recorder.record(
      .approvalRequested(
        Approval(
          run: run, ordinal: 1, operation: "fetch", message: "May it?", requestedAt: HistoryFixture.start)))
    try await fixture.recorder.flush()
    #expect(try history.wakeRetry(run, ordinal: 1, by: ada))
    _ = try history.answerApproval(
      run, operation: "fetch", approved: false, note: "not now", who: "bob", by: .terminal)
    _ = try history.answerApproval(run, operation: "fetch", approved: true, note: nil, who: "eve")
    try history.request(.cancel, of: run, for: RunCanceller(who: "ada", means: .command))
    try history.request(.kill, of: run, for: RunCanceller(who: "ada", means: .kill))
    // A cancellation by an overlapping run is not attributed to a user.
    try history.request(.cancel, of: run, for: RunCanceller(who: run.text, means: .overlap))
    let dead = try await fixture.abandoned()
    _ = try await fixture.recorder.claim(dead)
    #expect(
      try entries() == [
        "ada command wake \(run.text) fetch", "bob terminal reject \(run.text) fetch: not now",
        "ada command cancel \(run.text)", "ada command kill \(run.text)",
      ])
  }

  @Test("records a retry or resume by its own process in the transaction that performs it")
  func here() async throws {
    let source = try await fixture.ended(state: .failed)
    let retry = try await fixture.ended(retrying: source)
    let dead = try await fixture.abandoned()
    _ = try await fixture.recorder.claim(dead, for: Requester("bob"))
    _ = try await fixture.recorder.claim(dead, for: Requester("eve"))
    #expect(
      try entries() == ["ada command retry \(source.text): run \(retry.text)", "bob command resume \(dead.text)"])
  }

  @Test("has one entry for a requested deletion of runs, however many transactions it takes")
  func prune() async throws {
    for offset in 0..<130 {
      try await fixture.ended(at: HistoryFixture.start.advanced(by: Int64(offset)))
    }
    _ = try history.prune(PruneRule(keep: 128))
    _ = try history.prune(PruneRule(keep: 5, pipeline: "dig*"), dryRun: true, for: ada)
    _ = try history.prune(PruneRule(keep: 5, pipeline: "dig*"), for: ada)
    _ = try history.prune(PruneRule(keep: 5), for: ada)
    #expect(try entries() == ["ada command prune dig*: 123 runs"])
  }

  @Test("has one entry for runs deleted by several rules together, and none when nothing is deleted")
  func retention() async throws {
    for offset in 0..<6 { try await fixture.ended(at: HistoryFixture.start.advanced(by: Int64(offset))) }
    let entry = CountedEntry(
      AuditEntry(time: HistoryFixture.start, by: Requester("ada", by: .retention), .prune, "*"))
    _ = try history.prune(PruneRule(keep: 9), in: entry)
    #expect(try entries().isEmpty)
    _ = try history.prune(PruneRule(keep: 5), in: entry)
    #expect(try entries() == ["ada retention prune *: 1 run"])
    try history.ask(.reload, for: ada, at: HistoryFixture.start)
    _ = try history.prune(PruneRule(keep: 2), in: entry)
    _ = try history.prune(PruneRule(keep: 2), in: entry)
    #expect(try entries() == ["ada retention prune *: 4 runs", "ada command reload host"])
  }

  @Test("keeps the latest 10,000 entries")
  func bound() throws {
    for _ in 0..<11 {
      try history.pause(
        (0..<1000).map { Pause(pipeline: "p\($0)", who: "ada", since: HistoryFixture.start) })
    }
    try history.ask(.reload, for: ada, at: HistoryFixture.start.advanced(by: 1))
    let all = try history.audit()
    #expect(all.count == 10_000)
    #expect(all.first?.action == .reload)
    #expect(try history.audit(since: HistoryFixture.start.advanced(by: 1)).count == 1)
    #expect(try history.audit(until: HistoryFixture.start.advanced(by: 1)).count == 9_999)
    #expect(try history.audit(limit: 3).count == 3)
  }

  @Test(
    "records who woke an operation, and nothing if the operation was not retrying", arguments: OperationState.allCases)
  func wake(state: OperationState) async throws {
    let run = try await running(state)
    let isWoken = try history.wakeRetry(run, ordinal: 1, by: ada)
    #expect(isWoken == (state == .retrying))
    #expect(try history.audit().count == (isWoken ? 1 : 0))
    let pending = try history.pendingForHosts(withAnswers: false).requests
    #expect(pending.count == (isWoken ? 1 : 0))
    #expect(try await fixture.takeRequests(run) == (isWoken ? [.wake] : []))
    #expect(try !history.wakeRetry(.generate(), ordinal: 1, by: ada))
    #expect(try !history.wakeRetry(run, ordinal: 7, by: ada))
  }

  @Test("reports why the host could not fulfil a request")
  func failure() throws {
    let run = RunID.generate()
    let number = try history.ask(.resume, about: run, for: ada, at: HistoryFixture.start)
    try history.ask(.drain, for: ada, at: HistoryFixture.start)
    #expect(try history.takeHostRequests([.reload, .drain], at: .now).map(\.request) == [.drain])
    let left = try history.takeHostRequests(at: .now)
    #expect(left.map(\.number) == [number])
    #expect(left.first?.run == run)
    #expect(left.first?.who == "ada")
    #expect(try history.takeHostRequests(at: .now).isEmpty)
    #expect(try history.failure(ofHostRequest: number) == nil)
    try history.note(failure: "it is gone", of: number)
    #expect(try history.failure(ofHostRequest: number) == "it is gone")
  }
}

import Foundation
import RunHistory
import Testing
import Workspace

@Suite("An occasion")
struct OccasionTests {
  let fixture: HistoryFixture
  let start = HistoryFixture.start

  init() throws { fixture = try HistoryFixture() }

  private func occasion(
    _ cause: Occasion.Cause = .instant, of pipeline: String = "digest", at instant: RecordTime? = nil,
    heardAt: RecordTime? = nil
  ) -> Occasion {
    let heard = heardAt ?? start
    return Occasion(
      pipeline: pipeline, cause: cause, controller: cause == .request ? nil : "cron",
      instant: cause == .instant ? instant ?? start : nil, askedAt: heard)
  }

  private func run(of pipeline: String = "digest", priority: Int = 0, startBy: RecordTime? = nil) -> QueuedRun {
    QueuedRun(
      record: fixture.record(pipeline), definition: "name: \(pipeline)", priority: priority, startBy: startBy)
  }

  private func admit(
    _ occasion: Occasion, _ run: QueuedRun, overlap: OccasionRequest.Overlap = .allow, capacity: Int = .max
  ) async throws -> Admission {
    try await fixture.recorder.admit(
      OccasionRequest(occasion, run: run, overlap: overlap, capacity: capacity))
  }

  private func take(_ count: Int = 1) async throws -> [RunID] {
    return try await fixture.recorder.takeQueued(
      QueueTurns.Places(total: count), held: [], single: [], host: "box", at: start
    ).map(\.run.id)
  }

  @Test("is queued again if its host gives up its run before the run has begun")
  func givenUp() async throws {
    let run = run()
    _ = try await admit(occasion(), run)
    #expect(try await take() == [run.record.id])
    try await fixture.recorder.giveUp(run.record.id)
    #expect(try fixture.history.run(run.record.id)?.state == .queued)
    #expect(try await take() == [run.record.id])
    // Its host is asked to cancel it, and the host gives it up.
    try fixture.history.request(.cancel, of: run.record.id, for: RunCanceller(who: "ada", means: .command))
    try await fixture.recorder.giveUp(run.record.id)
    #expect(try fixture.history.run(run.record.id)?.state == .cancelled)
    #expect(try await take() == [])
  }

  @Test("is recorded with its queued run, which has no owner")
  func queued() async throws {
    let run = run()
    #expect(try await admit(occasion(), run) == .queued(run.record.id))
    let found = try #require(try fixture.history.occasions().first)
    #expect(found.outcome == .queued)
    #expect(found.run == run.record.id)
    #expect(found.instant == start)
    let record = try #require(try fixture.history.run(run.record.id))
    #expect(record.state == .queued)
    #expect(record.isUnowned)
    // Opening the workspace for writing does not affect it.
    #expect(try fixture.history.markInterrupted().isEmpty)
    #expect(try fixture.history.run(run.record.id)?.state == .queued)
    #expect(try fixture.history.queue().map(\.run) == [run.record.id])
  }

  @Test("of an instant is recorded once, whichever host reports it")
  func once() async throws {
    let first = run()
    #expect(try await admit(occasion(), first) == .queued(first.record.id))
    #expect(try await admit(occasion(), run()) == .known)
    #expect(try await admit(occasion(of: "other"), run(of: "other")).run != nil)
    #expect(try fixture.history.occasions().count == 2)
    #expect(try fixture.history.queue().count == 2)
  }

  @Test("and its run are recorded together or not at all")
  func atomic() async throws {
    // The run cannot be added because its id already exists.
    let run = run()
    #expect(try await admit(occasion(), run) == .queued(run.record.id))
    let later = start.advanced(by: 60_000_000)
    await #expect(throws: (any Error).self) { try await admit(occasion(at: later), run) }
    #expect(try fixture.history.occasions().map(\.instant) == [start])
    // The occasion was therefore not recorded, and the next attempt adds a run.
    #expect(try await admit(occasion(at: later), self.run()).run != nil)
  }

  @Test("is skipped if the pipeline skips overlaps and an interrupted run is about to be resumed")
  func skippedForResumed() async throws {
    let interrupted = try await fixture.abandoned()
    try fixture.history.markInterrupted()
    let request = OccasionRequest(occasion(.event), run: run(), overlap: .skip, others: [interrupted])
    #expect(try await fixture.recorder.admit(request) == .skipped(.overlap, interrupted))
    #expect(try await admit(occasion(.event), run(), overlap: .skip).run != nil)
  }

  @Test("is skipped if its queued run yields to a resumed one")
  func gaveWay() async throws {
    let resumed = try await fixture.abandoned()
    let first = run()
    _ = try await admit(occasion(.event), first, overlap: .skip)
    #expect(try await take() == [first.record.id])
    fixture.recorder.record(
      .runEnded(
        first.record.id, state: .cancelled, reason: RunReason.overlap(resumed).text, counts: RunCounts(operations: 2),
        at: start))
    try await fixture.recorder.flush()
    let found = try #require(try fixture.history.occasions().first)
    #expect((found.outcome, found.reason, found.run) == (.skipped, .overlap, resumed))
  }

  @Test("is skipped if the pipeline skips overlaps and another run is queued or running")
  func skipped() async throws {
    let first = run()
    _ = try await admit(occasion(.event), first, overlap: .skip)
    #expect(try await admit(occasion(.event), run(), overlap: .skip) == .skipped(.overlap, first.record.id))
    #expect(try await take() == [first.record.id])
    fixture.recorder.record(.runStarted(first.record.id, at: start))
    try await fixture.recorder.flush()
    #expect(try await admit(occasion(.event), run(), overlap: .skip) == .skipped(.overlap, first.record.id))
    fixture.recorder.record(
      .runEnded(first.record.id, state: .succeeded, reason: nil, counts: RunCounts(operations: 2), at: start))
    try await fixture.recorder.flush()
    #expect(try await admit(occasion(.event), run(), overlap: .skip).run != nil)
  }

  @Test("replaces queued runs if the pipeline cancels overlaps")
  func replaced() async throws {
    let first = run()
    _ = try await admit(occasion(.event), first, overlap: .cancel)
    let second = run()
    #expect(
      try await admit(occasion(.event), second, overlap: .cancel)
        == .queued(second.record.id, replacing: [first.record.id]))
    let occasions = try fixture.history.occasions()
    #expect(occasions.map(\.outcome) == [.queued, .replaced])
    #expect(try fixture.history.queue().map(\.run) == [second.record.id])
    let former = try #require(try fixture.history.run(first.record.id))
    #expect(former.state == .cancelled)
    #expect(former.canceller == RunCanceller(who: second.record.id.text, means: .overlap))
  }

  @Test("is rejected if the queue is full")
  func full() async throws {
    #expect(try await admit(occasion(.event), run(), capacity: 2).run != nil)
    #expect(try await admit(occasion(.event), run(), capacity: 2).run != nil)
    #expect(try await admit(occasion(.event), run(), capacity: 2) == .skipped(.queueFull, nil))
    #expect(try await take().count == 1)
    #expect(try await admit(occasion(.event), run(), capacity: 2).run != nil)
  }

  @Test("that was not requested leaves half of a long queue to other pipelines")
  func share() async throws {
    for _ in 0..<100 { #expect(try await admit(occasion(.event), run(), capacity: 200).run != nil) }
    #expect(try await admit(occasion(.event), run(), capacity: 200) == .skipped(.queueFull, nil))
    let told = try #require(try fixture.history.occasions().first)
    #expect(
      told.detail == "100 runs of this pipeline are queued, and the rest of the queue is reserved for other pipelines")
    // A requested run may use all of it, and other pipelines have their half.
    #expect(try await admit(occasion(.request), run(), capacity: 200).run != nil)
    var other = occasion(.event)
    other.pipeline = "other"
    #expect(try await admit(other, run(), capacity: 200).run != nil)
  }

  @Test("reports how late its run began")
  func late() async throws {
    let run = run()
    _ = try await admit(occasion(), run)
    _ = try await take()
    fixture.recorder.record(.runStarted(run.record.id, at: start.advanced(by: 2500)))
    try await fixture.recorder.flush()
    let found = try #require(try fixture.history.occasions().first)
    #expect(found.outcome == .run)
    #expect(found.lateMilliseconds == 2.5)
  }

  @Test("is skipped if its run can no longer begin in time")
  func tooLate() async throws {
    let run = run(startBy: start.advanced(by: -1))
    _ = try await admit(occasion(heardAt: start.advanced(by: -2)), run)
    #expect(try await take().isEmpty)
    let found = try #require(try fixture.history.occasions().first)
    #expect((found.outcome, found.reason) == (.skipped, .tooLate))
    let record = try #require(try fixture.history.run(run.record.id))
    #expect((record.state, record.reason) == (.cancelled, "too-late"))
    #expect(try fixture.history.queue().isEmpty)
  }

  @Test("does not block others if its run is too late", arguments: [false, true])
  func tooLateInTheWay(isTaken: Bool) async throws {
    let first = run(startBy: start)
    _ = try await admit(occasion(), first)
    #expect(try await admit(occasion(.event), run(), overlap: .skip) == .skipped(.overlap, first.record.id))
    if isTaken { #expect(try await take() == [first.record.id]) }
    let later = start.advanced(by: 1)
    let others = isTaken ? [first.record.id] : []
    let second = OccasionRequest(occasion(.event, heardAt: later), run: run(), overlap: .skip, others: others)
    #expect(try await fixture.recorder.admit(second).run != nil)
    // A taken run is skipped by its host.
    guard !isTaken else { return }
    let found = try fixture.history.occasions().first { $0.run == first.record.id && $0.cause == .instant }
    #expect((found?.outcome, found?.reason) == (.skipped, .tooLate))
  }

  @Test("occupies no place in the queue if its run is too late", arguments: [false, true])
  func tooLateInTheQueue(comesByItself: Bool) async throws {
    for _ in 0..<100 { _ = try await admit(occasion(.event), run(startBy: start)) }
    let heard = occasion(comesByItself ? .event : .request, heardAt: start.advanced(by: 1))
    #expect(try await admit(heard, run(), capacity: 100).run != nil)
    #expect(try fixture.history.queue().count == 1)
  }

  @Test("has no run if that run ends before it began", arguments: ["too-late", "cancelled", "overlap"])
  func endedBefore(why: String) async throws {
    let run = run()
    _ = try await admit(occasion(), run)
    _ = try await take()
    let canceller = RunCanceller(who: "ada", means: why == "overlap" ? .overlap : .command)
    fixture.recorder.record(
      .runEnded(
        run.record.id, state: .cancelled, reason: why == "too-late" ? why : "cancelled",
        canceller: why == "too-late" ? nil : canceller, counts: RunCounts(operations: 2), at: start))
    try await fixture.recorder.flush()
    let found = try #require(try fixture.history.occasions().first)
    #expect(found.outcome == (why == "overlap" ? .replaced : .skipped))
    #expect(found.reason?.rawValue == why)
    #expect(found.run == run.record.id)
  }

  @Test("that is noticed too late has no run, and does not block others")
  func heardOfTooLate() async throws {
    let late = occasion(at: start.advanced(by: -90), heardAt: start)
    #expect(try await admit(late, run(startBy: start.advanced(by: -1)), overlap: .skip) == .skipped(.tooLate, nil))
    #expect(try await admit(occasion(), run(startBy: start), overlap: .skip).run != nil)
  }

  @Test("has no run if its queued run is cancelled, which needs no host")
  func cancelled() async throws {
    let run = run()
    _ = try await admit(occasion(), run)
    try fixture.history.request(.cancel, of: run.record.id, for: RunCanceller(who: "ada", means: .command), at: start)
    let record = try #require(try fixture.history.run(run.record.id))
    #expect((record.state, record.canceller?.who) == (.cancelled, "ada"))
    #expect(try fixture.history.pendingForHosts(withAnswers: false).requests.isEmpty)
    #expect(try fixture.history.occasions().first?.reason == .cancelled)
    #expect(try await take().isEmpty)
  }

  @Test("outlives its run when that is pruned")
  func pruned() async throws {
    let run = run()
    _ = try await admit(occasion(), run)
    _ = try await take()
    fixture.recorder.record(.runStarted(run.record.id, at: start))
    fixture.recorder.record(
      .runEnded(run.record.id, state: .succeeded, reason: nil, counts: RunCounts(operations: 2), at: start))
    try await fixture.recorder.flush()
    #expect(try fixture.history.prune(PruneRule(keep: 0)).runs == [run.record.id])
    let found = try #require(try fixture.history.occasions().first)
    #expect((found.outcome, found.run) == (.run, nil))
    // The instant is still known.
    #expect(try await admit(occasion(), self.run()) == .known)
  }

  @Test("is listed by its instant, even if it was recorded days later")
  func order() async throws {
    let day: Int64 = 86_400_000_000
    // In the order in which a host records them: a current one, then the instants it missed for two days, then the next one.
    let instants = [-3, -1, -2, 0].map { start.advanced(by: $0 * day) }
    for (index, instant) in instants.enumerated() {
      let heard = start.advanced(by: index == 0 ? -3 * day : Int64(index))
      let missed = occasion(.instant, at: instant, heardAt: heard)
      _ = try await fixture.recorder.admit(OccasionRequest(missed, without: .hostDown))
    }
    let asked = occasion(.request, heardAt: start.advanced(by: -day / 2))
    _ = try await fixture.recorder.admit(OccasionRequest(asked, without: .invalidParams))
    let sorted = [0, -1, -2, -3].map { start.advanced(by: $0 * day) }
    let all = [sorted[0], asked.askedAt] + sorted[1...]
    #expect(try fixture.history.occasions().map(\.time) == all)
    for limit in 0...6 {
      var filter = OccasionFilter()
      filter.limit = limit
      #expect(try fixture.history.occasions(filter).map(\.time) == Array(all.prefix(limit)))
    }
  }

  @Test("is found by the labels of its run, or of its pipeline if it has none")
  func labels() async throws {
    var pipeline = PublishedPipeline(name: "digest", path: "/digest.yaml", loadedAt: start)
    pipeline.labels = ["team": "web"]
    try fixture.history.publish([pipeline])
    var record = fixture.record("digest")
    record.labels = ["team": "data", "extra": "'"]
    _ = try await admit(
      occasion(.event), QueuedRun(record: record, definition: "name: digest", priority: 0, startBy: nil))
    _ = try await fixture.recorder.admit(OccasionRequest(occasion(.event), without: .notAutomatic))
    func found(_ labels: RunLabel...) throws -> [Occasion.Outcome] {
      var filter = OccasionFilter()
      filter.labels = labels
      return try fixture.history.occasions(filter).map(\.outcome)
    }
    #expect(try found(RunLabel(name: "team")) == [.skipped, .queued])
    #expect(try found(RunLabel(name: "team", text: "web")) == [.skipped])
    #expect(try found(RunLabel(name: "team", text: "data"), RunLabel(name: "extra", text: "'")) == [.queued])
    #expect(try found(RunLabel(name: "team", text: "web"), RunLabel(name: "extra")) == [])
  }

  @Test("without a run is deleted when it is old or ten thousand later ones exist")
  func trimmed() async throws {
    let old = start.advanced(by: -91 * 86_400_000_000)
    let occasions = [occasion(.event, heardAt: old)] + (0..<300).map { _ in occasion(.event) }
    for occasion in occasions {
      _ = try await fixture.recorder.admit(OccasionRequest(occasion, without: .notAutomatic))
    }
    #expect(try fixture.history.occasions().allSatisfy { $0.askedAt == start })
    #expect(try fixture.history.occasions().count == 300)
  }

  /// Records a skipped instant for each second from `start` on.
  private func skip(_ count: Int, by controller: String) async throws {
    let requests = (0..<count).map { second in
      var occasion = occasion(at: start.advanced(by: Int64(second) * 1_000_000))
      occasion.controller = controller
      return OccasionRequest(occasion, without: .hostDown)
    }
    _ = try await fixture.recorder.admit(requests)
  }

  @Test("of an instant before ten thousand others has a run, unless its controller may have reported it before")
  func slowBesideFast() async throws {
    try await skip(10_300, by: "interval")
    let hour = start.advanced(by: -3_600_000_000)
    let run = run()
    #expect(try await admit(occasion(at: hour), run) == .queued(run.record.id))
    #expect(try await admit(occasion(at: hour), self.run()) == .known)
  }

  @Test("of an instant whose row may have been deleted has no run, but a row with the reason")
  func forgotten() async throws {
    try await skip(10_300, by: "cron")
    #expect(try fixture.history.occasions().allSatisfy { $0.instant != start }, "the first one was deleted")
    #expect(try fixture.history.hasComeUp(start, of: "digest", by: "cron", at: start))
    #expect(try await admit(occasion(), run()) == .skipped(.duplicate, nil))
    let found = try #require(try fixture.history.occasions().first { $0.instant == start })
    #expect(found.detail == "occasions of that time are no longer kept, so it may have been handled before")
    #expect(try await admit(occasion(), run()) == .known)
    // So does one that a command is about to start.
    let next = start.advanced(by: 1_000_000)
    #expect(try await !fixture.recorder.claim(next, of: "digest", by: "cron", at: start))
    let begun = try await fixture.recorder.begin(occasion(at: next.advanced(by: 1_000_000)), run())
    #expect(begun == nil)
    #expect(try fixture.history.occasions().count { $0.reason == .duplicate } == 3)
  }

  @Test("of an instant that was deleted because of its age is not taken for a new one")
  func forgottenByAge() async throws {
    let day: Int64 = 86_400_000_000
    let old = [-93, -92, -91].map { start.advanced(by: $0 * day) }
    for instant in old + (0..<300).map({ start.advanced(by: $0) }) {
      _ = try await fixture.recorder.admit(
        OccasionRequest(occasion(at: instant, heardAt: min(instant, start)), without: .hostDown))
    }
    #expect(try fixture.history.occasions().count { $0.askedAt < start } == 1, "the latest of them is kept")
    #expect(try await admit(occasion(at: old[0]), run()) == .skipped(.duplicate, nil))
    #expect(try await admit(occasion(at: old[2]), run()) == .known)
    #expect(try await admit(occasion(at: start.advanced(by: -day)), run()).run != nil)
  }

  @Test("that names a blocking run is deleted like others without a run")
  func trimmedOverlap() async throws {
    let old = start.advanced(by: -91 * 86_400_000_000)
    let obstacle = run()
    _ = try await admit(occasion(.request), obstacle)
    for heardAt in [old] + Array(repeating: start, count: 300) {
      guard case .skipped(.overlap, _) = try await admit(occasion(.event, heardAt: heardAt), run(), overlap: .skip)
      else {
        Issue.record("nothing is in its way")
        return
      }
    }
    #expect(try fixture.history.occasions().allSatisfy { $0.askedAt == start })
    #expect(try fixture.history.occasions().count == 301)
  }
}

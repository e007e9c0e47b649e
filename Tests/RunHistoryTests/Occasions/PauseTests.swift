import Foundation
import RunHistory
import SQLite
import Testing
import Workspace

@Suite("A pause")
struct PauseTests {
  let fixture: HistoryFixture
  let start = HistoryFixture.start

  init() throws { fixture = try HistoryFixture() }

  private func at(_ seconds: Int64) -> RecordTime { start.advanced(by: seconds * 1_000_000) }

  private func admit(
    _ instant: Int64?, heardAt heard: Int64, cause: Occasion.Cause = .instant
  ) async throws -> Admission {
    let occasion = Occasion(
      pipeline: "digest", cause: cause, controller: "cron", instant: instant.map(at), askedAt: at(heard))
    let run = QueuedRun(record: fixture.record("digest"), definition: "name: digest")
    return try await fixture.recorder.admit(OccasionRequest(occasion, run: run))
  }

  @discardableResult
  private func pause(
    _ since: Int64, until: Int64? = nil, reason: String? = nil, by who: String = "ada"
  ) throws -> PauseChange {
    let pause = Pause(pipeline: "digest", until: until.map(at), reason: reason, who: who, since: at(since))
    return try #require(try fixture.history.pause([pause]).first)
  }

  @discardableResult
  private func unpause(_ time: Int64) throws -> Bool {
    try fixture.history.unpause(["digest"], for: Requester("ada"), at: at(time)) == ["digest"]
  }

  @Test("refuses what comes by itself, and says who paused the pipeline")
  func refusal() async throws {
    try pause(0, until: 10, reason: "moving")
    #expect(try await admit(0, heardAt: 0) == .skipped(.paused, nil))
    let found = try #require(try fixture.history.occasions().first)
    #expect(found.outcome == .skipped)
    #expect(found.reason == .paused)
    #expect(found.detail == "paused by ada: moving")
    // What a person asks for is queued, and the pause ends by itself.
    #expect(try await admit(nil, heardAt: 0, cause: .request).run != nil)
    #expect(try await admit(10, heardAt: 10).run != nil)
  }

  @Test("refuses the instants within it, however late they are recorded")
  func late() async throws {
    try pause(10)
    #expect(try await admit(5, heardAt: 20).run != nil)
    #expect(try await admit(10, heardAt: 20) == .skipped(.paused, nil))
    // Paused anew, it has been paused for as long as before; the audit says when somebody asked for it.
    try pause(30, reason: "moving", by: "bob")
    #expect(try await admit(15, heardAt: 40) == .skipped(.paused, nil))
    #expect(try fixture.history.audit().map(\.time) == [at(30), at(10)])
    #expect(try unpause(50))
    #expect(try await admit(45, heardAt: 60) == .skipped(.paused, nil))
    #expect(try await admit(50, heardAt: 60).run != nil)
    #expect(try fixture.history.pauses(at: at(50)).isEmpty)
    #expect(try !unpause(61))
  }

  @Test("refuses the instants within it when the pipeline was paused again before they are recorded")
  func former() async throws {
    try pause(10, reason: "moving")
    try unpause(20)
    // This one ends by itself.
    try pause(30, until: 40, by: "bob")
    try pause(50)
    #expect(try await admit(15, heardAt: 60) == .skipped(.paused, nil))
    #expect(try fixture.history.occasions().first?.detail == "paused by ada: moving")
    #expect(try await admit(20, heardAt: 60).run != nil)
    #expect(try await admit(35, heardAt: 60) == .skipped(.paused, nil))
    #expect(try await admit(40, heardAt: 60).run != nil)
    #expect(try await admit(55, heardAt: 60) == .skipped(.paused, nil))
  }

  @Test("that is over is remembered until 16 later ones are")
  func bounded() async throws {
    for pause in 0..<17 as Range<Int64> {
      try self.pause(pause * 10)
      try unpause(pause * 10 + 5)
    }
    #expect(try await admit(1, heardAt: 200).run != nil)
    for pause in 1..<17 as Range<Int64> {
      #expect(try await admit(pause * 10 + 1, heardAt: 200) == .skipped(.paused, nil))
    }
  }

  @Test("that was ended stays ended when the clock is set back")
  func clockSetBack() async throws {
    try pause(10)
    try unpause(50)
    #expect(try fixture.history.pauses(at: at(20)).isEmpty)
    #expect(try await admit(nil, heardAt: 20, cause: .event).run != nil)
    // Its instants were within it.
    #expect(try await admit(20, heardAt: 25) == .skipped(.paused, nil))
    // One with an end of its own goes by the clock, unless somebody ends it, be it after that.
    try pause(60, until: 70)
    #expect(try fixture.history.pauses(at: at(70)).isEmpty)
    #expect(try fixture.history.pauses(at: at(65)).count == 1)
    #expect(try !unpause(80))
    #expect(try fixture.history.pauses(at: at(65)).isEmpty)
    #expect(try await admit(65, heardAt: 90) == .skipped(.paused, nil))
  }

  @Test("without an end is in force, and refuses events, also when the clock is set back to before it")
  func clockSetBackBefore() async throws {
    try pause(100)
    #expect(try await admit(nil, heardAt: 50, cause: .event) == .skipped(.paused, nil))
    #expect(try unpause(60))
    #expect(try await admit(nil, heardAt: 60, cause: .event).run != nil)
    #expect(try await admit(55, heardAt: 61).run != nil)
  }

  @Test("that takes the place of another one says what that was")
  func replaced() throws {
    let first = try pause(0, reason: "moving")
    #expect(first.former == nil)
    let second = try pause(5, until: 20, by: "bob")
    #expect(second.former == first.pause)
    #expect(second.pause == Pause(pipeline: "digest", until: at(20), reason: "moving", who: "bob", since: at(0)))
    // That one is over.
    #expect(try pause(20).former == nil)
  }

  @Test("that takes the place of another one keeps its reason, unless another one was given")
  func reason() throws {
    func reason(_ reason: String?, after seconds: Int64) throws -> String? {
      try pause(seconds, until: seconds + 10, reason: reason)
      return try fixture.history.pauses(at: at(seconds)).first?.reason
    }
    #expect(try reason("moving", after: 0) == "moving")
    #expect(try reason(nil, after: 1) == "moving")
    #expect(try reason("else", after: 2) == "else")
    #expect(try reason("", after: 3) == nil)
    #expect(try reason("moving", after: 4) == "moving")
    // That pause is over.
    #expect(try reason(nil, after: 20) == nil)
  }

  @Test("of a workspace of an earlier version keeps its instants, and stays ended if it was")
  func earlierVersion() throws {
    let directory = fixture.directory + "-earlier"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let schema = HistorySchema.schema
    let earlier = WorkspaceSchema(
      applicationID: schema.applicationID, migrations: Array(schema.migrations.prefix(18)))
    let old = try OpenWorkspace.open(at: directory, schema: earlier, mode: .readWrite)
    try old.write { db in
      try db.execute(
        sql: """
          INSERT INTO pause (pipeline, until, reason, who, at) VALUES ('ended', 20000000, 'moving', 'ada', 10000000);
          INSERT INTO pause (pipeline, until, reason, who, at) VALUES ('paused', NULL, NULL, 'ada', 10000000)
          """)
    }
    old.close()
    let history = try History.open(at: directory, mode: .readWrite)
    defer { history.workspace.close() }
    let within = RecordTime(microseconds: 15_000_000)
    #expect(try history.pauses(at: within).map(\.pipeline) == ["paused"])
    for (pipeline, isPaused) in [("ended", true), ("paused", true), ("other", false)] {
      let occasion = Occasion(pipeline: pipeline, cause: .instant, instant: within, askedAt: within)
      let run = QueuedRun(record: fixture.record(pipeline), definition: "name: \(pipeline)")
      let admission = try history.admit(OccasionRequest(occasion, run: run))
      #expect((admission == .skipped(.paused, nil)) == isPaused, "\(pipeline)")
    }
  }
}

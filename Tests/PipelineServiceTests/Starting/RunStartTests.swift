import PipelineEngine
import PipelineLanguage
import RunHistory
import Testing

@testable import PipelineService

@Suite("The input of a run") struct RunStartTests {
  private let fixture: HistoryFixture
  private let digest: PipelineDefinition

  init() throws {
    fixture = try HistoryFixture()
    digest = try pipeline(
      """
      name: digest
      params:
        limit: { type: int, default: 5 }
        feed: { type: string }
      operations:
        - { name: fetch, value: 1 }
        - { name: count, value: "${{ results.fetch }}" }
      """)
  }

  private func start(
    _ given: [(name: String, text: String)] = [("feed", "x")], selection: RunOptions.Selection = .all
  ) throws -> RunStart {
    try RunStart(of: digest, given: given, selection: selection, version: "1")
  }

  @Test("Given params are parsed by type, and the others have their defaults")
  func parameters() throws {
    let start = try start([("feed", "5")])
    #expect(start.options.parameters == ["limit": .int(5), "feed": .string("5")])
    #expect(start.options.version == "1")
    #expect(start.options.trigger == .manual)
  }

  @Test("Missing, unknown and invalid params are reported together")
  func wrongParameters() throws {
    let problems = #expect(throws: ParameterProblems.self) { try start([("limit", "many"), ("feeed", "x")]) }
    #expect(problems?.problems.map(\.code) == ["invalid-param", "unknown-param", "missing-param"])
  }

  @Test("A selection matches names regardless of case; an unknown name is rejected with the nearest one")
  func selection() throws {
    #expect(try start(selection: .from(operation: "FETCH")).selected == [0, 1])
    #expect(try start(selection: .only(operation: "count")).selected == [1])
    #expect(try start().selected == nil)
    let error = #expect(throws: RunStartError.self) { try start(selection: .only(operation: "cuont")) }
    #expect(error?.code == "unknown-operation")
    #expect(error?.description == "the pipeline 'digest' has no operation 'cuont'; did you mean 'count'?")
  }

  @Test("A partial run reuses the rest from the latest ended run; a complete run reuses nothing")
  func source() async throws {
    var part = try start(selection: .only(operation: "count"))
    try part.takeRest(from: nil)
    #expect(part.options.source == nil)
    try await fixture.ended("other", at: HistoryFixture.start.advanced(by: 9_000_000))
    try await fixture.ended(at: HistoryFixture.start)
    let latest = try await fixture.ended(at: HistoryFixture.start.advanced(by: 1_000_000), state: .failed)
    let running = fixture.record(at: HistoryFixture.start.advanced(by: 2_000_000))
    fixture.recorder.record(.runCreated(running, definition: ""))
    try await fixture.recorder.flush()
    try part.takeRest(from: fixture.history)
    #expect(part.options.source == latest)
    var whole = try start()
    try whole.takeRest(from: fixture.history)
    #expect(whole.options.source == nil)
  }

  @Test("A partial run whose dependencies have no results is rejected before it begins")
  func missing() async throws {
    var part = try start(selection: .only(operation: "count"))
    let missing = #expect(throws: MissingDependency.self) { try part.check(in: fixture.history) }
    #expect(missing?.dependency == "fetch")
    try await fixture.ended()
    try part.takeRest(from: fixture.history)
    try part.check(in: fixture.history)
  }

  @Test("A retry has the former run's params that still exist, and reuses what succeeded")
  func repeating() throws {
    var former = fixture.record(state: .failed)
    former.params = #"{"limit":20,"feed":"f","gone":1}"#
    let start = try RunStart(repeating: former, with: digest, version: "2")
    #expect(start.options.trigger == .retry)
    #expect(start.options.source == former.id)
    #expect(start.options.parameters == ["limit": .int(20), "feed": .string("f")])
    #expect(start.options.selection == .all)
    let part = try RunStart(repeating: former, with: digest, selection: .from(operation: "count"), version: "2")
    #expect(part.options.selection == .from(operation: "count"))
    // Its instant: its start, unless it had another one.
    former.startedAt = HistoryFixture.start
    #expect(
      try RunStart(repeating: former, with: digest, version: "2").options.instant == HistoryFixture.start)
    former.instant = RecordTime(microseconds: 5)
    #expect(try RunStart(repeating: former, with: digest, version: "2").options.instant == former.instant)
    former.params = #"{"limit":20}"#
    #expect(throws: ParameterProblems.self) {
      try RunStart(repeating: former, with: digest, version: "2")
    }
  }

  @Test("A run stands for its start unless it is given an instant")
  func instant() throws {
    #expect(try start().options.instant == nil)
    let start = try RunStart(of: digest, given: [("feed", "x")], at: HistoryFixture.start, version: "1")
    #expect(start.options.instant == HistoryFixture.start)
  }

  @Test("A run requested by a controller has the controller's event, and the instant at which it was due")
  func controllers() throws {
    var start = try start()
    start.attribute(to: "cron", event: ["instant": "now"], at: HistoryFixture.start)
    #expect(start.options.trigger == .controller)
    #expect(start.options.controller == "cron")
    #expect(start.options.event == ["instant": "now"])
    #expect(start.options.instant == HistoryFixture.start)
  }
}

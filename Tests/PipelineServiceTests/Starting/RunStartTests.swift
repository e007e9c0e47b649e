import PipelineEngine
import PipelineLanguage
import RunHistory
import Testing

@testable import PipelineService

@Suite("What a run is begun with") struct RunStartTests {
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

  @Test("Params that were given are read by their types, and the rest is default")
  func parameters() throws {
    let start = try start([("feed", "5")])
    #expect(start.options.parameters == ["limit": .int(5), "feed": .string("5")])
    #expect(start.options.version == "1")
    #expect(start.options.trigger == .manual)
  }

  @Test("Params that are missing, unknown or wrong are refused together")
  func wrongParameters() throws {
    let problems = #expect(throws: ParameterProblems.self) { try start([("limit", "many"), ("feeed", "x")]) }
    #expect(problems?.problems.map(\.code) == ["invalid-param", "unknown-param", "missing-param"])
  }

  @Test("A part of the pipeline is named without regard to case; a name that is not there is refused with the nearest")
  func selection() throws {
    #expect(try start(selection: .from(operation: "FETCH")).selected == [0, 1])
    #expect(try start(selection: .only(operation: "count")).selected == [1])
    #expect(try start().selected == nil)
    let error = #expect(throws: RunStartError.self) { try start(selection: .only(operation: "cuont")) }
    #expect(error?.code == "unknown-operation")
    #expect(error?.description == "the pipeline 'digest' has no operation 'cuont', did you mean 'count'?")
  }

  @Test("A part takes the rest over from the latest run that has ended; a whole run takes over nothing")
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

  @Test("A part whose needs nobody has made is refused before it begins")
  func missing() async throws {
    var part = try start(selection: .only(operation: "count"))
    let missing = #expect(throws: MissingDependency.self) { try part.check(in: fixture.history) }
    #expect(missing?.dependency == "fetch")
    try await fixture.ended()
    try part.takeRest(from: fixture.history)
    try part.check(in: fixture.history)
  }

  @Test("A retry has the former run's params as far as they are still there, and takes over what succeeded")
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
    // What it stood for: its start, unless it was told another instant.
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

  @Test("A run that a controller asks for carries what the controller told, and the instant at which it was due")
  func controllers() throws {
    var start = try start()
    start.attribute(to: "cron", event: ["instant": "now"], at: HistoryFixture.start)
    #expect(start.options.trigger == .controller)
    #expect(start.options.controller == "cron")
    #expect(start.options.event == ["instant": "now"])
    #expect(start.options.instant == HistoryFixture.start)
  }
}

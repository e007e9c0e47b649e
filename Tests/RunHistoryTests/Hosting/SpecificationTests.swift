import RunHistory
import Testing

@Suite("The conditions of served pipelines")
struct SpecificationTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws { fixture = try HistoryFixture() }

  private func state(
    _ value: Bool?, _ second: Int64, name: String = "automatic", of pipeline: String = "nightly",
    formula: String = "connected"
  ) -> PublishedSpecification {
    PublishedSpecification(
      pipeline: pipeline, name: name, formula: formula, value: value, reason: "because of \(second)",
      since: HistoryFixture.start.advanced(by: second * 1_000_000))
  }

  @Test("A change of the value is recorded with its time; a change of the reason is not")
  func changes() throws {
    try history.publish(turns: [state(false, 1), state(true, 2)], latest: [state(true, 2)], of: ["nightly"])
    var later = state(true, 3)
    try history.publish(turns: [later], latest: [later], of: [])
    later.since = HistoryFixture.start.advanced(by: 2_000_000)
    #expect(try history.publishedSpecifications() == [later])
    #expect(try history.specificationChanges(of: "nightly", "automatic") == [state(true, 2), state(false, 1)])
    try history.publish(turns: [state(nil, 4)], latest: [state(nil, 4)], of: [])
    #expect(try history.publishedSpecifications() == [state(nil, 4)])
    #expect(
      try fixture.rows("SELECT name, value, since FROM specifications") == [
        [.text("automatic"), .null, .text(state(nil, 4).since.text)]
      ])
    #expect(try fixture.rows("SELECT value FROM specification_changes") == [[.int(0)], [.int(1)], [.null]])
  }

  @Test("A new version of a pipeline replaces its conditions, and unchanged ones keep their times")
  func versions() throws {
    let (stays, goes, other) = (state(true, 1), state(true, 1, name: "rerun_on_change"), state(true, 1, of: "hourly"))
    try history.publish(turns: [stays, goes, other], latest: [stays, goes, other], of: ["nightly", "hourly"])
    var again = state(true, 9)
    try history.publish(turns: [again], latest: [again], of: ["nightly"])
    again.since = stays.since
    #expect(try history.publishedSpecifications() == [other, again])
    let edited = state(true, 10, formula: "never")
    try history.publish(turns: [edited], latest: [edited], of: ["nightly"])
    #expect(try history.publishedSpecifications() == [other, edited])
    #expect(try history.specificationChanges(of: "nightly", "automatic") == [edited, stays])
    try history.publish([], removed: ["nightly"])
    #expect(try history.publishedSpecifications() == [other])
    #expect(try history.specificationChanges(of: "nightly", "automatic").isEmpty)
  }

  @Test("The latest 1,000 changes of each condition are kept")
  func bound() throws {
    for round in 0..<4 {
      let turns = (0..<300).map { state($0 % 2 == 0, Int64(round * 300 + $0)) }
      try history.publish(turns: turns, latest: [try #require(turns.last)], of: [])
    }
    let other = state(true, 1, name: "rerun_on_change")
    try history.publish(turns: [other], latest: [other], of: [])
    let changes = try history.specificationChanges(of: "nightly", "automatic")
    #expect(changes.count == 1000)
    #expect(changes.first == state(false, 1199))
    #expect(try history.specificationChanges(of: "nightly", "rerun_on_change").count == 1)
  }
}

import RunHistory
import Testing

@Suite("A problem of a controller of a served pipeline")
struct ControllerProblemTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }

  init() throws { fixture = try HistoryFixture() }

  private func problem(_ pipeline: String, _ position: Int, isOver: Bool = false) -> PublishedControllerProblem {
    PublishedControllerProblem(
      pipeline: pipeline, position: position, controller: "ticks", reason: "plugin 'ticks' crashed: SIGSEGV",
      since: HistoryFixture.start, isOver: isOver)
  }

  @Test("replaces what was published for the same pipelines")
  func publishing() throws {
    let (first, second, other) = (problem("one", 0), problem("one", 1, isOver: true), problem("other", 0))
    try history.publish(controllerProblems: [first, second, other], of: ["one", "other"])
    #expect(try history.publishedControllerProblems() == [first, second, other])
    try history.publish(controllerProblems: [second], of: ["one"])
    #expect(try history.publishedControllerProblems() == [second, other])
    try history.publish(controllerProblems: [], of: nil)
    #expect(try history.publishedControllerProblems().isEmpty)
  }

  @Test("is the pipeline's reason in the view, unless its file is invalid or it is paused")
  func view() throws {
    var pipeline = PublishedPipeline(name: "one", path: "/one.yaml", loadedAt: HistoryFixture.start)
    try history.publish([pipeline])
    try history.publish(controllerProblems: [problem("one", 0), problem("one", 1, isOver: true)], of: ["one"])
    let since = HistoryFixture.start.text
    let reason = """
      controller 'ticks' has been failing since \(since): plugin 'ticks' crashed: SIGSEGV; \
      controller 'ticks' ended at \(since): plugin 'ticks' crashed: SIGSEGV
      """
    #expect(try fixture.rows("SELECT state, reason FROM pipelines") == [[.text("idle"), .text(reason)]])
    pipeline.problem = "wrong"
    try history.publish([pipeline])
    #expect(try fixture.rows("SELECT state, reason FROM pipelines") == [[.text("invalid"), .text("wrong")]])
  }
}

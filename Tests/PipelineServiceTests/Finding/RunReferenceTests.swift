import RunHistory
import Testing

@testable import PipelineService

@Suite("References to runs") struct RunReferenceTests {
  private let fixture: HistoryFixture
  private var reference: RunReference { RunReference(history: fixture.history) }

  init() throws { fixture = try HistoryFixture() }

  private func later(_ seconds: Int64) -> RecordTime { HistoryFixture.start.advanced(by: seconds * 1_000_000) }

  private func refusal(_ text: String) -> RunReferenceError? {
    #expect(throws: RunReferenceError.self) { try reference.find(text) }
  }

  @Test("An id, a prefix of one, and `last` are found")
  func found() async throws {
    let id = try await fixture.ended(at: later(0))
    #expect(try reference.find(id.text).id == id)
    #expect(try reference.find(String(id.text.prefix(10))).id == id)
    #expect(try reference.find("last").id == id)
  }

  @Test("In a workspace without runs, nothing is found")
  func nothing() throws {
    let error = refusal("last")
    #expect(error?.code == "unknown-run")
    #expect(error?.description.hasSuffix("nothing has run in the workspace '\(fixture.directory)' yet") == true)
  }

  @Test(
    "The name of a pipeline suggests its latest run, a mistyped id the nearest one, and anything else the latest run")
  func nearest() async throws {
    let first = try await fixture.ended("digest", at: later(0), id: try #require(RunID("5k2m0c8v1a7p")))
    let second = try await fixture.ended(
      "nightly", at: later(1), state: .failed, id: try #require(RunID("5k2m0d3x9b4q")))
    #expect(refusal("digest")?.description.contains("its latest run is \(reference.short(first)) (succeeded)") == true)
    // One character of the id differs.
    var typed = Array(second.text)
    typed[typed.count - 1] = typed[typed.count - 1] == "0" ? "1" : "0"
    #expect(
      refusal(String(typed))?.description.contains("did you mean \(reference.short(second)) (nightly, failed)?") == true
    )
    #expect(refusal("zz!")?.description.contains("the latest is \(reference.short(second)) (nightly)") == true)
  }

  @Test("A prefix of several ids is rejected with a list of them")
  func ambiguous() async throws {
    let ids = [try await fixture.ended(at: later(0)), try await fixture.ended(at: later(1))]
    let shared = String(zip(ids[0].text, ids[1].text).prefix { $0 == $1 }.map(\.0))
    let error = refusal(shared)
    #expect(error?.code == "ambiguous-run")
    for id in ids { #expect(error?.description.contains(reference.short(id)) == true) }
  }

  @Test("An operation is found regardless of case; an unknown one is rejected with the nearest name or all names")
  func operations() async throws {
    let run = try reference.find(try await fixture.ended().text)
    #expect(try reference.operation("FETCH", in: run).name == "fetch")
    let near = #expect(throws: RunReferenceError.self) { try reference.operation("fecth", in: run) }
    #expect(near?.description.hasSuffix("has no operation 'fecth'; did you mean 'fetch'?") == true)
    let far = #expect(throws: RunReferenceError.self) { try reference.operation("deploy", in: run) }
    #expect(far?.description.hasSuffix("has no operation 'deploy'; it has fetch, count") == true)
  }

  @Test("A path leads through the latest run that an operation started")
  func paths() async throws {
    let outer = try await fixture.ended(at: later(0))
    let parent = RunRecord.Parent(run: outer, operation: "fetch")
    try await fixture.ended("inner", at: later(1), parent: parent)
    let latest = try await fixture.ended("inner", at: later(2), parent: parent)
    let run = try reference.find(outer.text)
    let end = try reference.end(of: "fetch/count", from: run)
    #expect(end.run.id == latest)
    #expect(end.operation == "count")
    #expect(try reference.end(of: "fetch", from: run).run.id == outer)
    let error = #expect(throws: RunReferenceError.self) { try reference.end(of: "count/fetch", from: run) }
    #expect(error?.code == "no-nested-run")
  }

  @Test("A requested attempt must exist")
  func attempts() async throws {
    let run = try reference.find(try await fixture.ended().text)
    try reference.requireAttempt(2, of: "fetch", in: run)
    let error = #expect(throws: AttemptMissing.self) { try reference.requireAttempt(2, of: "count", in: run) }
    #expect(error?.description == "'count' has 1 attempt")
    let none = #expect(throws: AttemptMissing.self) { try reference.requireAttempt(3, of: nil, in: run) }
    #expect(none?.description == "no operation of this run has more than 2 attempts")
  }

  @Test(
    "An item is found by its number or label, or by the last component of a path",
    arguments: [
      ("convert[0]", "convert[0]"), ("CONVERT[In/A.csv]", "convert[0]"), ("convert[b.csv]", "convert[1]"),
      ("convert[2]", "convert[2]"), ("convert[linux, arm64]", "convert[3]"), ("convert[9]", "convert[2]"),
    ])
  func items(text: String, name: String) async throws {
    let items = [#""in/a.csv""#, #""in/b.csv""#, "9", #"{"s":"linux","c":"arm64"}"#]
    let run = try reference.find(try await fixture.ended(items: items).text)
    #expect(try reference.operation(text, in: run).name == name)
  }

  @Test("A label of several items is rejected with their numbers; an unknown one with the nearest label or all labels")
  func unclearItems() async throws {
    let run = try reference.find(try await fixture.ended(items: [#""x/a.csv""#, #""y/a.csv""#, #""z, b""#]).text)
    let short = reference.short(run.id)
    let ambiguous = #expect(throws: RunReferenceError.self) { try reference.operation("convert[A.csv]", in: run) }
    #expect(
      ambiguous?.description
        == "'convert[A.csv]' of run \(short) is the label of several items:\n  convert[0] x/a.csv\n  convert[1] y/a.csv\nrefer to one by its number, such as 'convert[0]'"
    )
    #expect(ambiguous?.code == "ambiguous-item")
    let near = #expect(throws: RunReferenceError.self) { try reference.operation("convert[z,b]", in: run) }
    #expect(near?.description.hasSuffix("did you mean 'convert[2] z, b'?") == true)
    let far = #expect(throws: RunReferenceError.self) { try reference.operation("convert[nothing]", in: run) }
    #expect(far?.description.hasSuffix("; it has convert[0] x/a.csv; convert[1] y/a.csv; convert[2] z, b") == true)
  }
}

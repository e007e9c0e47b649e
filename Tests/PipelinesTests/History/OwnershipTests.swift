import GRDB
import Pipelines
import Testing
import Workspace

@Suite("Runs whose process is gone")
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

  @Test("are claimed by one process only, which then owns them")
  func claimed() async throws {
    let run = try await fixture.abandoned()
    try history.request(.cancel, of: run)
    let claimed = try await fixture.recorder.claim(run)
    #expect(claimed?.state == .running && claimed?.owner == .current)
    #expect(try await fixture.recorder.claim(run) == nil)
    #expect(try history.takeRequests(run) == [], "a request to the former process does not meet the new one")
    #expect(try await fixture.recorder.claim(.generate()) == nil)
    let ended = try await fixture.ended()
    #expect(try await fixture.recorder.claim(ended) == nil)
  }

  @Test("are loaded with everything that is needed to go on")
  func loaded() async throws {
    let run = try await fixture.abandoned()
    let whole = try history.loadForResume(run)
    #expect(whole?.definition == "name: digest")
    #expect(whole?.operations.map(\.name) == ["fetch", "count"])
    #expect(whole?.attempts.map(\.pid) == [99])
    #expect(try history.loadForResume(.generate()) == nil)
  }
}

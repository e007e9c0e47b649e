import Foundation
import RunHistory
import Testing
import Workspace

@Suite("The reason why a host makes no progress")
struct HostStandstillTests {
  let fixture: HistoryFixture
  var history: History { fixture.history }
  var note: HostNote { HostNote(in: history.workspace.directory) }

  init() throws { fixture = try HistoryFixture() }

  private func host(_ owner: ProcessIdentity = .current) -> HostRecord {
    HostRecord(
      owner: owner, host: "box", user: "ada", version: "test", startedAt: HistoryFixture.start, configuration: "{}")
  }

  @Test("is that it cannot write, with the time and the cause, until it reports that it can")
  func unwritten() throws {
    #expect(history.standstill(of: host()) == nil)
    note.write(since: HistoryFixture.start, because: String(repeating: "x", count: 100))
    note.write(since: HistoryFixture.start, because: "no room")
    #expect(history.standstill(of: host()) == .unwritten(since: HistoryFixture.start, reason: "no room"))
    let since = ClockText.dateAndTime(HistoryFixture.start)
    #expect(
      history.standstill(of: host())?.words
        == "the host has not been able to write since \(since), so nothing starts, and results are recorded later: no room"
    )
    #expect(
      history.standstill(of: host())?.awaited == "the host, which has not been able to write since \(since): no room")
    note.remove()
    #expect(history.standstill(of: host()) == nil)
  }

  @Test("is that the disk is full, with the time, if not even the note can be written")
  func withoutRoom() throws {
    let path = history.workspace.directory + "/workspace.unwritten"
    try "".write(toFile: path, atomically: false, encoding: .utf8)
    let since = Date(timeIntervalSince1970: Double(HistoryFixture.start.microseconds) / 1_000_000)
    try FileManager.default.setAttributes([.modificationDate: since], ofItemAtPath: path)
    let reason = WorkspaceError.full(path: history.workspace.path).advice
    #expect(history.standstill(of: host()) == .unwritten(since: HistoryFixture.start, reason: reason))
  }

  @Test("applies to the process that executes a run, while the run is active")
  func ofRun() throws {
    _ = try history.add(host())
    note.write(since: HistoryFixture.start, because: "no room")
    var run = fixture.record(state: .running)
    #expect(try history.standstill(ofProcessOf: run) == .unwritten(since: HistoryFixture.start, reason: "no room"))
    run.state = .succeeded
    #expect(try history.standstill(ofProcessOf: run) == nil)
    run.state = .running
    run.owner = ProcessIdentity(boot: ProcessIdentity.current.boot, pid: 1, started: 1)
    #expect(try history.standstill(ofProcessOf: run) == nil)
  }

  @Test("does not come from another process's note or from a host that has stopped")
  func others() throws {
    let other = ProcessIdentity(boot: ProcessIdentity.current.boot, pid: 1, started: 1)
    note.write(since: HistoryFixture.start, because: "no room", of: other)
    #expect(history.standstill(of: host()) == nil)
    var ended = host()
    ended.state = .stopped
    note.write(since: HistoryFixture.start, because: "no room")
    #expect(history.standstill(of: ended) == nil)
  }

  @Test("is absent if the note contains anything else")
  func garbage() throws {
    let path = history.workspace.directory + "/workspace.unwritten"
    for text in ["", "{", "[]\n", #"{"pid":"x"}"#, String(repeating: "y", count: 100_000)] {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      #expect(history.standstill(of: host()) == nil)
    }
  }
}

import Foundation
import Testing
import Workspace

@testable import PipelineEngine
@testable import RunHistory

@Suite("The record of a process", .timeLimit(.minutes(5)))
struct ProcessRecordTests {
  @Test("contains its start time, which distinguishes it from a later process with the same id")
  func startTime() async throws {
    let host = try EngineTestHost()
    let go = host.directory + "/go"
    let text = """
      operations:
        - { name: lasting, command: [sh, -c, 'until [ -e "$0" ]; do sleep 0.02; done', "\(go)"] }
      """
    let (runs, ids) = AsyncStream<RunID>.makeStream()
    async let finished = host.run(text) { event in
      if case .run(let run) = event { ids.yield(run.id) }
    }
    var first = runs.makeAsyncIterator()
    let id = try #require(await first.next())
    var attempt: AttemptRecord?
    // Until the history contains it, soon after the attempt began.
    while attempt?.pid == nil {
      attempt = try host.services.history.attempts(of: id).first
      await Task.yield()
    }
    let process = try #require(attempt?.pid.flatMap { ProcessIdentity.running(pid: $0) })
    #expect(attempt?.pidStarted == process.started)
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    #expect(try await finished.outcome.run.state == .succeeded)
    await host.close()
  }
}

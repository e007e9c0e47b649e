import PipelineLanguage
import RunHistory
import Synchronization
import Testing

@testable import PipelineEngine
@testable import Server

@Suite("Events that runs send to their host")
struct RunRelayTests {
  private func queued() throws -> QueuedRun {
    let pipeline = try #require(
      PipelineLoader.load(text: "name: one\noperations: [{ name: a, value: 1 }]", path: "/one.yaml").pipeline)
    return QueuedRun(
      of: pipeline, options: RunOptions(), queue: QueuedRun.defaultQueue, priority: 0, startBy: nil, at: .now)
  }

  // Each end used to make the call of the next one a little deeper, so that a host crashed after some 8,000 runs.
  @Test("reach it however many runs there were")
  func manyRuns() throws {
    let run = try queued()
    let heard = Mutex(0)
    let relay = RunRelay(log: HostLog(.text) { _ in }) { _ in nil }
    relay.connect { _ in heard.withLock { $0 += 1 } }
    let events = relay.events
    for _ in 0..<20_000 { events.ended(run.record) }
    #expect(heard.withLock { $0 } == 20_000)
  }

  @Test("are logged as recorded if the host does not continue the run")
  func lost() throws {
    let lines = Mutex<[String]>([])
    let state = Mutex<RunState?>(nil)
    let relay = RunRelay(log: HostLog(.text) { line in lines.withLock { $0.append(line) } }) { _ in
      state.withLock { $0 }
    }
    let words: [(RunState?, String)] = [
      (.failed, "has ended as failed"), (.interrupted, "is interrupted"), (.queued, "is queued again"),
      (.running, "is no longer run by this host"), (nil, "is no longer run by this host"),
    ]
    for (recorded, _) in words {
      state.withLock { $0 = recorded }
      relay.events.failed(try queued().record, EngineError.systemCall("pipe2", 24))
    }
    let told = lines.withLock { $0 }
    #expect(told.count == words.count)
    for (line, (_, expected)) in zip(told, words) { #expect(line.contains(" of 'one' \(expected): pipe2 failed")) }
  }
}

import PipelineLanguage
import RunHistory
import Synchronization
import Testing

@testable import PipelineEngine
@testable import Server

@Suite("What a host hears of its runs")
struct RunRelayTests {
  // Each end used to make the call of the next one a little deeper, so that a host crashed after some 8,000 runs.
  @Test("reaches it however many runs there were")
  func manyRuns() throws {
    let pipeline = try #require(
      PipelineLoader.load(text: "name: one\noperations: [{ name: a, value: 1 }]", path: "/one.yaml").pipeline)
    let run = QueuedRun(
      of: pipeline, options: RunOptions(), queue: QueuedRun.defaultQueue, priority: 0, startBy: nil, at: .now)
    let heard = Mutex(0)
    let relay = RunRelay(log: HostLog(.text) { _ in })
    relay.connect { _ in heard.withLock { $0 += 1 } }
    let events = relay.events
    for _ in 0..<20_000 { events.ended(run.record) }
    #expect(heard.withLock { $0 } == 20_000)
  }
}

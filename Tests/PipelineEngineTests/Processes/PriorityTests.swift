import Foundation
import Testing

@testable import PipelineEngine

@Suite("The priority of processes") struct PriorityTests {
  @Test("is that of the host, whatever thread the event loop was started from") func niceness() async throws {
    let loop = try EventLoop()
    let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(getpid()))
    let (priorities, sink) = AsyncStream<Int32>.makeStream()
    // A thread with a lower priority than the process; only root may set a higher one.
    let thread = Thread {
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, own + 1)
      try? loop.start()
    }
    thread.start()
    loop.execute {
      sink.yield(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
      sink.finish()
    }
    for await priority in priorities { #expect(priority == own || own + 1 == priority && geteuid() != 0) }
    loop.stop()
  }
}

import Server
import Synchronization
import Testing
import Values

@testable import PipelineEngine

@Suite("The log of a host")
struct HostLogTests {
  @Test("has how late the event loop was as figures for programs, and as a sentence for people")
  func lateness() throws {
    var lateness = LoopLateness()
    lateness.turns.count = 2000
    lateness.turns.median = .microseconds(51)
    lateness.turns.p999 = .microseconds(4096)
    lateness.turns.maximum = .microseconds(12_500)
    let lines = Mutex<[String]>([])
    HostLog(.json(forJournal: false)) { line in lines.withLock { $0.append(line) } }.tell(lateness)
    HostLog(.text) { line in lines.withLock { $0.append(line) } }.tell(lateness)

    let told = lines.withLock { $0 }
    let entry = try JSONValue.parse(told[0])
    #expect(entry["event"] == "lateness")
    #expect(entry["turns"]?["count"] == 2000)
    #expect(entry["turns"]?["median_ms"] == 0.051)
    #expect(entry["turns"]?["p999_ms"] == 4.096)
    #expect(entry["turns"]?["maximum_ms"] == 12.5)
    #expect(entry["timers"]?["count"] == 0)
    #expect(told[1].hasSuffix("of 0 timers, 99.9 % were 0.0 ms late at most, the latest 0.0 ms"))
    #expect(told[1].contains("of 2000 turns of the event loop, 99.9 % took 4.096 ms at most, the longest 12.5 ms"))
  }
}

import RunHistory
import Synchronization
import Testing
import Values

@testable import PipelineEngine
@testable import Server

@Suite("The log of a host")
struct HostLogTests {
  @Test("reports the lateness of the event loop as figures for programs, and as a sentence for people")
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

  @Test("limits the lines a minute about a plugin, and says how many it left out")
  func flood() {
    let lines = Mutex<[String]>([])
    let now = Mutex<Int64>(0)
    let log = HostLog(.text, clock: { RecordTime(microseconds: now.withLock { $0 }) }) { line in
      lines.withLock { $0.append(line) }
    }
    for _ in 0..<1000 { log.tell(.info, "occasion-skipped", "'one' is not run: overlap", pipeline: "one") }
    log.tell(.info, "occasion-skipped", "'two' is not run: overlap", pipeline: "two")
    for _ in 0..<100 { log.tell(.info, "run-began", "run x of 'one' begins", pipeline: "one") }
    now.withLock { $0 = 61_000_000 }
    log.tell(.info, "occasion-skipped", "'one' is not run: overlap", pipeline: "one")
    let told = lines.withLock { $0 }
    #expect(told.count == LogBudget.most + 1 + 100 + 1)
    #expect(told[LogBudget.most - 1].hasSuffix("overlap (similar lines are omitted for a minute)"))
    #expect(told[LogBudget.most].hasSuffix("'two' is not run: overlap"))
    #expect(told.last?.hasSuffix("overlap (950 similar lines were omitted before)") == true)
  }
}

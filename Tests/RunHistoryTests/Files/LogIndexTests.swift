import Foundation
import Testing

@testable import RunHistory

@Suite("A log index") final class LogIndexTests {
  private let workspace = NSTemporaryDirectory() + "penstock-index-\(UUID().uuidString)"
  private let run = RunID.generate()
  private let output = LogName(number: 1, isError: false)
  private let error = LogName(number: 2, isError: true)

  init() throws {
    try FileManager.default.createDirectory(
      atPath: "\(workspace)/runs/\(run)", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: workspace) }

  private func at(_ milliseconds: Int64) -> RecordTime {
    RecordTime(microseconds: 1_795_000_000_000_000 + milliseconds * 1000)
  }

  private func file(_ blocks: [[LogGrowth]]) -> [UInt8] {
    blocks.reduce(into: LogIndexCoding.mark) { LogIndexCoding.write($1, to: &$0) }
  }

  private func write(_ bytes: [UInt8], to name: String = "3.index") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(workspace)/runs/\(run)/\(name)"))
  }

  private func index(logs: [String]? = nil) -> LogIndex { LogIndex(of: run, in: workspace, logs: logs) }

  private lazy var blocks = [
    [LogGrowth(output, size: 10, time: at(0)), LogGrowth(error, size: 5, time: at(0))],
    [LogGrowth(output, size: 300, time: at(250))],
  ]

  @Test("locates a line by the first growth that covers its end, and reports when it was written") func marks() throws {
    try write(file(blocks))
    let index = index()
    let first = try #require(index.mark(of: output, covering: 7))
    let second = try #require(index.mark(of: error, covering: 5))
    let third = try #require(index.mark(of: output, covering: 11))
    #expect(first == index.mark(of: output, covering: 10))
    #expect(first.sequence < second.sequence && second.sequence < third.sequence)
    #expect([first, second, third].map(\.time) == [at(0), at(0), at(250)])
    #expect(index.mark(of: output, covering: 301) == nil)
    #expect(index.mark(of: LogName(number: 2, isError: false), covering: 1) == nil)
  }

  @Test("skips logs that are not asked for") func selected() throws {
    try write(file(blocks))
    let index = index(logs: ["runs/\(run)/2.err"])
    #expect(index.knows(error) && !index.knows(output))
  }

  @Test("may consist of one file per host of the run, and additions are read later") func files() throws {
    try write(file([blocks[0]]))
    let index = index()
    #expect(index.mark(of: output, covering: 11) == nil)
    try write(file(blocks))
    try write(file([[LogGrowth(LogName(number: 9, isError: false), size: 1, time: at(900))]]), to: "10.index")
    index.refresh()
    #expect(index.mark(of: output, covering: 11)?.time == at(250))
    #expect(index.mark(of: LogName(number: 9, isError: false), covering: 1)?.time == at(900))
  }

  @Test("accepts times that go backwards, and drops entries of a log that was truncated") func back() throws {
    let growths = [
      LogGrowth(output, size: 10, time: at(500)), LogGrowth(output, size: 20, time: at(-100)),
      LogGrowth(output, size: 4, time: at(600)), LogGrowth(output, size: 20, time: at(700)),
    ]
    try write(file([growths]))
    #expect(index().mark(of: output, covering: 4)?.time == at(600))
    #expect(index().mark(of: output, covering: 10)?.time == at(700))
  }

  @Test("that is truncated anywhere is read up to its last complete block") func cut() throws {
    let whole = file(blocks)
    let first = file([blocks[0]]).count
    for length in 0...whole.count {
      try write(Array(whole.prefix(length)))
      let index = index()
      #expect(index.knows(error) == (length >= first))
      #expect((index.mark(of: output, covering: 300) != nil) == (length == whole.count))
    }
  }

  @Test("with a corrupt byte is read up to that byte, without an error") func damaged() throws {
    let whole = file(blocks)
    for position in whole.indices {
      var bytes = whole
      bytes[position] ^= 0x41
      try write(bytes)
      #expect(index().mark(of: output, covering: 300) == nil)
    }
    for content in [[UInt8](repeating: 0, count: 4096), LogIndexCoding.mark + [UInt8](repeating: 0xFF, count: 64)] {
      try write(content)
      #expect(!index().knows(output))
    }
  }

  @Test("that is missing or not a regular file is empty") func missing() throws {
    #expect(LogIndex(of: .generate(), in: workspace).mark(of: output, covering: 1) == nil)
    try FileManager.default.createDirectory(
      atPath: "\(workspace)/runs/\(run)/4.index", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(workspace)/runs/\(run)/5.index", withDestinationPath: "/dev/zero")
    #expect(!index().knows(output))
  }

  @Test(
    "accepts only log names that a run can assign",
    arguments: ["", "1", "1.", ".out", "+1.out", "01.out", "-1.out", "1.out.gz", "1.result", "x.err", "1 .out"])
  func names(_ text: String) {
    #expect(LogName(text) == nil)
    #expect(LogName("12.out") == LogName(number: 12, isError: false))
    #expect(LogName("12.err")?.text == "12.err")
  }
}

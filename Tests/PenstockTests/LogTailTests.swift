import Foundation
import RunHistory
import Testing

@testable import penstock

@Suite("The last lines of both logs") final class LogTailTests {
  private let workspace = NSTemporaryDirectory() + "penstock-tail-\(UUID().uuidString)"
  private let run = RunID.generate()
  private let output = LogName(number: 1, isError: false)
  private let error = LogName(number: 1, isError: true)

  init() throws {
    try FileManager.default.createDirectory(
      atPath: "\(workspace)/runs/\(run.text)", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: workspace) }

  private func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(workspace)/runs/\(run.text)/\(name)"))
  }

  /// Writes both logs and their index: a line that begins with `|` goes to standard output, one with `!` to standard error.
  private func write(_ lines: [String], indexed: Int = .max) throws {
    var texts = (output: "", error: "")
    var growths: [LogGrowth] = []
    for line in lines {
      let isError = line.hasPrefix("!")
      if isError { texts.error += line.dropFirst() + "\n" } else { texts.output += line.dropFirst() + "\n" }
      growths.append(
        LogGrowth(
          isError ? error : output, size: Int64((isError ? texts.error : texts.output).utf8.count),
          time: RecordTime(microseconds: Int64(growths.count))))
    }
    try write(texts.output.utf8, to: "1.out")
    try write(texts.error.utf8, to: "1.err")
    var bytes = LogIndexCoding.mark
    LogIndexCoding.write(Array(growths.prefix(indexed)), to: &bytes)
    if indexed > 0 { try write(bytes, to: "2.index") }
  }

  private func tail(_ count: Int) -> [String] {
    var attempt = AttemptRecord(run: run, ordinal: 0, number: 1, state: .failed, startedAt: .now)
    attempt.standardOutput = "runs/\(run.text)/1.out"
    attempt.standardError = "runs/\(run.text)/1.err"
    return LogTail.lines(of: attempt, workspace: workspace, count: count)
  }

  @Test("are in the order in which they were written") func ordered() throws {
    try write(["|a", "!b", "|c", "|d", "!e"])
    #expect(tail(10) == ["| a", "! b", "| c", "| d", "! e"])
    #expect(tail(3) == ["| c", "| d", "! e"])
  }

  @Test("include some of a stream that has been silent since") func quota() throws {
    try write(["!1", "!2", "!3", "!4"] + (1...20).map { "|\($0)" })
    #expect(tail(6) == ["! 2", "! 3", "! 4", "| 18", "| 19", "| 20"])
  }

  @Test("that are not in the index come last") func unknown() throws {
    try write(["!a", "|b", "!c", "|d"], indexed: 2)
    #expect(tail(10) == ["! a", "| b", "| d", "! c"])
  }

  @Test("are half from each log without an index") func halves() throws {
    try write(["!1", "!2", "!3", "|a", "|b", "|c"], indexed: 0)
    #expect(tail(4) == ["| b", "| c", "! 2", "! 3"])
  }
}

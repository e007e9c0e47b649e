import Foundation
import RunHistory
import Testing

@testable import penstock

@Suite("The output of operations during a run") final class OutputFollowerTests {
  private let workspace = NSTemporaryDirectory() + "penstock-output-\(UUID().uuidString)"
  private let run = RunID.generate()
  private var lines: [String] = []

  init() throws {
    try FileManager.default.createDirectory(
      atPath: "\(workspace)/runs/\(run.text)", withIntermediateDirectories: true)
    for name in ["1.out", "1.err"] { _ = FileManager.default.createFile(atPath: path(name), contents: nil) }
  }

  deinit { try? FileManager.default.removeItem(atPath: workspace) }

  private func path(_ name: String) -> String { "\(workspace)/runs/\(run.text)/\(name)" }

  private func stream() -> OutputFollower {
    OutputFollower(workspace: workspace) { [unowned self] name, isError, line in
      lines.append("\(name)\(isError ? "!" : "|")\(line)")
    }
  }

  private func begin(_ stream: OutputFollower, _ ordinal: Int, name: String) {
    let directory = "runs/\(run.text)"
    stream.begin(
      run, ordinal, name: name, standardOutput: "\(directory)/1.out", standardError: "\(directory)/1.err")
  }

  private func append(_ text: String, to name: String = "1.out") throws {
    let file = try #require(FileHandle(forWritingAtPath: path(name)))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func end(_ stream: OutputFollower, _ ordinal: Int, hasOutput: Bool, name: String = "a") {
    var attempt = AttemptRecord(run: run, ordinal: ordinal, number: 1, state: .succeeded, startedAt: .now)
    attempt.standardOutput = hasOutput ? "runs/\(run.text)/1.out" : nil
    stream.end(attempt, name: name)
  }

  @Test("arrives in whole lines, and the last one at the end") func whole() throws {
    let stream = stream()
    begin(stream, 0, name: "a")
    try append("one\ntw")
    stream.look()
    stream.look()
    #expect(lines == ["a|one"])
    try append("o\nthree")
    end(stream, 0, hasOutput: true)
    #expect(lines == ["a|one", "a|two", "a|three"])
    #expect(!stream.isFollowing)
  }

  @Test("of a later attempt is never attributed to one that wrote nothing to the same file") func reused() throws {
    let stream = stream()
    begin(stream, 0, name: "a")
    // The first one has already ended, and the second one writes.
    try append("of b\n")
    stream.look()
    end(stream, 0, hasOutput: false)
    begin(stream, 1, name: "b")
    end(stream, 1, hasOutput: true)
    #expect(lines == ["b|of b"])
  }

  @Test("of an attempt without a process arrives at its end, and an unterminated line in parts") func others() throws {
    let stream = stream()
    try append(String(repeating: "x", count: 200_000))
    end(stream, 0, hasOutput: true, name: "plugin")
    #expect(lines.count == 4 && lines.allSatisfy { $0.hasPrefix("plugin|xxx") })
  }

  @Test("of both streams arrives in the order of the index, if it has one") func ordered() throws {
    let stream = stream()
    begin(stream, 0, name: "a")
    try append("b\n", to: "1.err")
    try append("a\nc\n")
    var bytes = LogIndexCoding.mark
    let (output, error) = (LogName(number: 1, isError: false), LogName(number: 1, isError: true))
    let growths = [(output, 2), (error, 2), (output, 4)].map { LogGrowth($0, size: Int64($1), time: .now) }
    LogIndexCoding.write(growths, to: &bytes)
    try Data(bytes).write(to: URL(fileURLWithPath: path("2.index")))
    stream.look()
    #expect(lines.isEmpty)
    stream.look()
    #expect(lines == ["a|a", "a!b", "a|c"])
    try append("d\n", to: "1.err")
    try append("e\n")
    stream.look()
    stream.look()
    #expect(lines.suffix(2) == ["a|e", "a!d"])
  }

  @Test("of a process that truncates its log continues from the start of the file") func truncated() throws {
    let stream = stream()
    begin(stream, 0, name: "a")
    try append("one\ntwo\nthr")
    stream.look()
    stream.look()
    #expect(lines == ["a|one", "a|two"])
    try Data("four\n".utf8).write(to: URL(fileURLWithPath: path("1.out")))
    stream.look()
    end(stream, 0, hasOutput: true)
    #expect(lines == ["a|one", "a|two", "a|thr", "a|four"])
  }
}

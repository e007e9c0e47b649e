import Testing

@testable import PluginHost

@Suite("A child host's output")
struct ChildOutputTests {
  private final class Lines {
    var output = ChildOutput()
    var told: [String] = []

    func print(_ text: String, at seconds: Int64 = 0) {
      Array(text.utf8).withUnsafeBytes { output.append($0, now: seconds * 1_000_000_000) { told.append($0) } }
    }

    func finish(at seconds: Int64 = 0) { output.finish(now: seconds * 1_000_000_000) { told.append($0) } }
  }

  @Test("complete lines are reported, blank ones are not, and the last one counts without a line feed")
  func lines() {
    let lines = Lines()
    lines.print("one\n\n  \t\ntw")
    #expect(lines.told == ["one"])
    lines.print("o\r\nthree")
    #expect(lines.told == ["one", "two"])
    #expect(lines.output.lastLine == "two")
    lines.finish()
    #expect(lines.told == ["one", "two", "three"])
    #expect(lines.output.lastLine == "three")
  }

  @Test("a line without an end is truncated")
  func longLine() {
    let lines = Lines()
    for _ in 0..<100 { lines.print(String(repeating: "x", count: 1000)) }
    lines.print("\nnext\n")
    #expect(lines.told == [String(repeating: "x", count: 4096) + "…", "next"])
  }

  @Test("lines beyond 200 per second are only counted")
  func flood() {
    let lines = Lines()
    lines.print(String(repeating: "again\n", count: 1234), at: 5)
    #expect(lines.told.count == 200)
    lines.print("then\n", at: 6)
    #expect(
      lines.told.suffix(2) == [
        "… and 1034 more lines, dropped because there were more than 200 in a second", "then",
      ])
  }

  @Test("bytes that are not UTF-8 are reported as well as possible")
  func bytes() {
    let lines = Lines()
    ([0x61, 0xFF, 0x62, 0x0A] as [UInt8]).withUnsafeBytes { lines.output.append($0, now: 0) { lines.told.append($0) } }
    #expect(lines.told == ["a\u{FFFD}b"])
  }
}

import Testing

@testable import PipelineEngine

@Suite("The order of writes to two logs") struct LogWritesTests {
  /// Returns the growths for `writes`: each letter is a write, `o` to standard output and `e` to standard error.
  private func growths(_ writes: String, output: String, error: String, from old: LogSizes = LogSizes()) -> [String] {
    var known = LogWrites()
    for letter in writes { known.add(isError: letter == "e") }
    let new = LogSizes(output: old.output + Int64(output.utf8.count), error: old.error + Int64(error.utf8.count))
    return known.growths(from: old, to: new) { isError, part in
      let start = isError ? old.error : old.output
      let bytes = Array((isError ? error : output).utf8)
      return Array(bytes[Int(part.lowerBound - start)..<Int(part.upperBound - start)])
    }
    .map { "\($0.isError ? "e" : "o")\($0.size)" }
  }

  @Test("is known line by line if each write was a line") func lines() {
    #expect(growths("ooeoee", output: "a\nbb\nc\n", error: "1\n22\n3\n") == ["o5", "e2", "o7", "e7"])
    #expect(growths("oeo", output: "a\nno end", error: "1\n") == ["o2", "e2", "o8"])
    let old = LogSizes(output: 100, error: 50)
    #expect(growths("eoe", output: "a\n", error: "1\n2\n", from: old) == ["e52", "o102", "e54"])
  }

  @Test("is that of the streams if each wrote only once") func once() {
    #expect(growths("eo", output: "a\nb\nc", error: "1") == ["e1", "o5"])
    #expect(growths("oooo", output: "a\nb\nc\nd", error: "") == ["o7"])
    #expect(growths("e", output: "", error: "1\n") == ["e2"])
    #expect(growths("oe", output: "", error: "") == [])
  }

  @Test("attributes a stream's growth to its last write if writes were not lines") func others() {
    #expect(growths("oeo", output: "a\nb\nc\n", error: "1\n") == ["e2", "o6"])
    #expect(growths("oeo", output: "ab\n", error: "1\n") == ["e2", "o3"])
    #expect(growths("oeoe", output: "a\nb\nc\n", error: "1\n2\n") == ["e2", "o6", "e4"])
  }

  @Test("is that of the streams if writes are unknown") func unknown() {
    #expect(growths("", output: "a\n", error: "1\n") == ["o2", "e2"])
    #expect(growths("e", output: "a\n", error: "1\n") == ["e2", "o2"])
    let many = String(repeating: "oe", count: 100)
    let text = String(repeating: "x\n", count: 100)
    #expect(growths(many, output: text, error: text) == ["o200", "e200"])
    var missed = LogWrites()
    for isError in [true, false, true] { missed.add(isError: isError) }
    missed.miss()
    let growths = missed.growths(from: LogSizes(), to: LogSizes(output: 2, error: 4)) { _, _ in [] }
    #expect(growths.map(\.size) == [2, 4])
  }

  @Test("tolerates a log that is truncated or unreadable") func cut() {
    var writes = LogWrites()
    for isError in [false, true, false] { writes.add(isError: isError) }
    let cut = writes.growths(from: LogSizes(output: 10), to: LogSizes(output: 3, error: 2)) { _, _ in nil }
    #expect(cut.map(\.size) == [2, 3] && cut.map(\.isError) == [true, false])
  }
}

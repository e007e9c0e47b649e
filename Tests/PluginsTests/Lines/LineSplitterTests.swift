import Testing

@testable import LinesPlugin

@Suite struct LineSplitterTests {
  private func split(_ pieces: [[UInt8]], longest: Int = 100) -> [LineSplitter.Line] {
    var splitter = LineSplitter(longest: longest)
    var lines: [LineSplitter.Line] = []
    for piece in pieces { piece.withUnsafeBytes { splitter.take($0) { lines.append($0) } } }
    if let last = splitter.end() { lines.append(last) }
    return lines
  }

  private func split(_ text: String, longest: Int = 100) -> [String] {
    split([Array(text.utf8)], longest: longest).map(\.text)
  }

  @Test func linesEndWithALineFeedAndTheLastOneNeedNone() {
    #expect(split("a\nb\n") == ["a", "b"])
    #expect(split("a\n\nb") == ["a", "", "b"])
    #expect(split("a\r\nb\r") == ["a", "b"])
    #expect(split("") == [])
  }

  @Test func aLineMayArriveInPieces() {
    let bytes = Array("grüße\nwelt\n".utf8)
    #expect(split(bytes.map { [$0] }).map(\.text) == ["grüße", "welt"])
  }

  @Test func theRestOfALongLineIsLeftOutAndCounted() {
    #expect(
      split([Array("abcdef\nxy\n".utf8)], longest: 4) == [
        LineSplitter.Line(text: "abcd", cut: 2), LineSplitter.Line(text: "xy", cut: 0),
      ])
    #expect(
      split([Array("abcdefgh".utf8), Array("ijk".utf8)], longest: 4) == [LineSplitter.Line(text: "abcd", cut: 7)])
  }

  @Test func aCutLineEndsWithAWholeCharacter() {
    #expect(split([Array("abcü\n".utf8)], longest: 4) == [LineSplitter.Line(text: "abc", cut: 2)])
    #expect(split([Array("a🌊b\n".utf8)], longest: 4) == [LineSplitter.Line(text: "a", cut: 5)])
    #expect(split([Array("a🌊b\n".utf8)], longest: 5) == [LineSplitter.Line(text: "a🌊", cut: 1)])
  }

  @Test func bytesThatAreNoTextBecomeReplacementCharacters() {
    #expect(split([[0x61, 0xFF, 0x62, 0x0A]]).map(\.text) == ["a\u{FFFD}b"])
  }
}

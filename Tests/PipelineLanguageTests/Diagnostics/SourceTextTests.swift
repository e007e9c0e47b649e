import PipelineLanguage
import Testing

@Suite("Source texts")
struct SourceTextTests {
  @Test("lines end with LF, CR or both, and a final line break starts an empty line")
  func lines() {
    let source = SourceText(path: "t", text: "one\ntwo\r\n\rthree\n")
    #expect(source.lines == ["one", "two", "", "three", ""])
    #expect(source.lineCount == 5)
    #expect(source.line(4) == "three")
    #expect(source.line(0) == "")
    #expect(source.line(6) == "")
    #expect(SourceText(path: "t", text: "").lines == [""])
    #expect(SourceText(path: "t", text: "a").lines == ["a"])
  }

  @Test("marks and offsets convert into each other", arguments: ["plain\nlines\r\nhere", "é: ü\n日本\r\n\n👩‍🚀 x"])
  func conversions(text: String) {
    let source = SourceText(path: "t", text: text)
    var offset = 0
    var line = 1
    var column = 1
    var previous: Unicode.Scalar = " "
    for scalar in text.unicodeScalars {
      let mark = SourceMark(line: line, column: column)
      #expect(source.mark(atUTF8Offset: offset) == mark)
      if !(previous == "\r" && scalar == "\n") { #expect(source.utf8Offset(of: mark) == offset) }
      offset += UTF8.width(scalar)
      column += 1
      if scalar == "\n" { (line, column) = (line + 1, 1) }
      previous = scalar
    }
    #expect(source.mark(atUTF8Offset: offset) == SourceMark(line: line, column: column))
  }

  @Test("positions outside the text yield the nearest ones")
  func outside() {
    let source = SourceText(path: "t", text: "é\nbc")
    #expect(source.mark(atUTF8Offset: -3) == SourceMark(line: 1, column: 1))
    #expect(source.mark(atUTF8Offset: 99) == SourceMark(line: 2, column: 3))
    #expect(source.utf8Offset(of: SourceMark(line: 1, column: 9)) == 2)
    #expect(source.utf8Offset(of: SourceMark(line: 0, column: 1)) == 0)
    #expect(source.utf8Offset(of: SourceMark(line: 9, column: 1)) == 5)
  }

  @Test("conversions work in long lines that are not ASCII")
  func longLines() {
    let source = SourceText(path: "t", text: "x\n" + String(repeating: "é日a", count: 1_000) + "\ny")
    for column in stride(from: 1, through: 3_001, by: 7) {
      let mark = SourceMark(line: 2, column: column)
      let offset = source.utf8Offset(of: mark)
      #expect(offset == 2 + (column - 1) / 3 * 6 + [0, 2, 5][(column - 1) % 3])
      #expect(source.mark(atUTF8Offset: offset) == mark)
    }
  }

  @Test("a byte order mark is not part of the text")
  func byteOrderMark() {
    #expect(SourceText(path: "t", text: "\u{FEFF}a").text == "a")
    #expect(SourceText(path: "t", bytes: [0xEF, 0xBB, 0xBF, 0x61]).text == "a")
  }

  @Test(
    "bytes that are not UTF-8 are reported at the first of them",
    arguments: [
      ([0x61, 0x0A, 0xC3, 0xA9, 0xFF, 0xFE], "2:2-2:3 invalid-utf8", "the byte 0xFF is not valid UTF-8"),
      ([0x61, 0xC3], "1:2-1:3 invalid-utf8", "the byte 0xC3 is not valid UTF-8"),
      ([0xC0, 0x80], "1:1-1:2 invalid-utf8", "the byte 0xC0 is not valid UTF-8"),
      ([0xED, 0xA0, 0x80], "1:1-1:2 invalid-utf8", "the byte 0xED is not valid UTF-8"),
      ([0xEF, 0xBB, 0xBF, 0x80], "1:1-1:2 invalid-utf8", "the byte 0x80 is not valid UTF-8"),
    ] as [([UInt8], String, String)]
  )
  func invalid(bytes: [UInt8], finding: String, message: String) {
    let source = SourceText(path: "t", bytes: bytes)
    let (root, diagnostics) = YAMLReader.read(source)
    #expect(root == nil)
    #expect(diagnostics.map(\.brief) == [finding])
    #expect(diagnostics.map(\.message) == [message])
    #expect(diagnostics.map(\.fix) == ["save the file as UTF-8"])
  }

  @Test(
    "UTF-16 is recognised with and without its byte order mark",
    arguments: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61], [0x61, 0, 0x3A, 0], [0, 0x61, 0, 0x3A]] as [[UInt8]]
  )
  func utf16(bytes: [UInt8]) {
    let diagnostics = YAMLReader.read(SourceText(path: "t", bytes: bytes)).diagnostics
    #expect(diagnostics.map(\.brief) == ["1:1-1:1 invalid-utf8"])
    #expect(diagnostics.map(\.message) == ["the file is UTF-16 or UTF-32 text, where UTF-8 is needed"])
  }
}

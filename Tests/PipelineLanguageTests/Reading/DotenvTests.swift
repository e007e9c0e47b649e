import Testing

@testable import PipelineLanguage

@Suite("Lines of NAME=value") struct DotenvTests {
  /// Returns the entries of a text as `name=<value>`, followed by its findings.
  private func read(_ text: String) -> [String] {
    let reader = DotenvReader(SourceText(path: "x.env", text: text))
    return reader.entries.map { "\($0.name)=<\($0.value)>" } + reader.diagnostics.map(shown)
  }

  @Test("are read as docker compose and Node read them")
  func values() {
    #expect(read("A=1\nB = two words \nC=\n") == ["A=<1>", "B=<two words>", "C=<>"])
    #expect(read("\u{FEFF}export A=1\r\n  export\tB=2\r\n\r\nexport=3") == ["A=<1>", "B=<2>", "export=<3>"])
    #expect(
      read("# A=1\n  # B=2\nA=1 # one\nB=#fff\nC=a#b\nD= # none\nE='x' # one") == [
        "A=<1>", "B=<#fff>", "C=<a#b>", "D=<>", "E=<x>",
      ])
    #expect(read(#"A='$x \n "q"'"# + "\nB='two\nlines'\n") == [#"A=<$x \n "q">"#, "B=<two\nlines>"])
    #expect(
      read(#"A="a\nb\tc\r\"d\" \\ \$x \y""# + "\nB=\"two\nlines\" # both") == [
        "A=<a\nb\tc\r\"d\" \\ $x \\y>", "B=<two\nlines>",
      ])
    #expect(read("A=a=b 'c' \"d\nB=ä ö") == ["A=<a=b 'c' \"d>", "B=<ä ö>"])
    #expect(read("") == [] && read("\n \t\n") == [] && read("A=1") == ["A=<1>"])
  }

  @Test("yield errors with their places if they are invalid")
  func mistakes() {
    #expect(
      read("A=1\nB\n=x\nA=2\n") == [
        "A=<1>", "2:1 dotenv-syntax this line is not 'NAME=value' (begin a comment with '#')",
        "3:1 invalid-name a name may contain letters, digits, '_' and '-', the first a letter or '_'",
        "4:1 duplicate-key 'A' is already defined on line 1 (remove one of the two)",
      ])
    #expect(
      read("ä=1\nA='b'c\nB=\"d\"e") == [
        "1:1 invalid-name a name may contain letters, digits, '_' and '-', the first a letter or '_'",
        "2:6 dotenv-syntax there is text after the closing quote (nothing is escaped in single quotes; use double quotes)",
        "3:6 dotenv-syntax there is text after the closing quote (write a quote in the value as \\\")",
      ])
    #expect(read("A=1\nB=\"x\nC=2") == ["A=<1>", "2:3 dotenv-syntax the quote \" is not closed"])
    #expect(read("A=\"\\") == ["1:3 dotenv-syntax the quote \" is not closed"])
    #expect(read("A=x\0y") == ["1:3 dotenv-syntax the value contains a NUL character"])
    #expect(read(String(repeating: "x\n", count: 500)).count == 100)
  }

  @Test("yield a warning if other readers would expand something")
  func expansion() {
    let fix = "(put the value in single quotes to say so)"
    #expect(
      read("A=a${B}\nB=\"$(c)\"\nC='${D}'\nD=\"\\${E}\"\nE=$F") == [
        "A=<a${B}>", "B=<$(c)>", "C=<${D}>", "D=<${E}>", "E=<$F>",
        "1:4 warning dotenv-syntax nothing is expanded here: '${' stands for itself \(fix)",
        "2:4 warning dotenv-syntax nothing is expanded here: '$(' stands for itself \(fix)",
      ])
  }

  @Test("are read safely with any contents, and each finding has a place within the text", arguments: 0..<20)
  func anything(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ bound: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(bound))
    }
    let parts = [
      "A", "B=", "=", "'", "\"", "\\", "\n", "\r\n", "#", " ", "\t", "export ", "${", "$(", "\0", "ä", "\u{1F600}", "x",
    ]
    for _ in 0..<500 {
      let text = (0..<next(40)).map { _ in parts[next(parts.count)] }.joined()
      let source = SourceText(path: "x.env", text: text)
      let reader = DotenvReader(source)
      #expect(Set(reader.entries.map(\.name)).count == reader.entries.count)
      for finding in reader.diagnostics { #expect((1...source.lineCount).contains(finding.range.start.line)) }
    }
  }

  @Test("are rejected as a whole if they are not UTF-8 or too large")
  func refusals() {
    #expect(
      DotenvReader(SourceText(path: "x.env", bytes: [0x41, 0x3D, 0xFF])).diagnostics.map(\.code) == ["invalid-utf8"])
    let large = DotenvReader(SourceText(path: "x.env", text: "A=" + String(repeating: "x", count: 16 << 20)))
    #expect(large.diagnostics.map(\.code) == ["file-too-large"] && large.entries.isEmpty)
  }
}

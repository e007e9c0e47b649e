import PipelineLanguage
import Testing

@Suite("Places of YAML nodes")
struct YAMLPlacesTests {
  @Test("a plain scalar ends after its last character, before any comment")
  func plain() {
    expect(
      "a: some text   # comment\nb: two\n  lines  \n\n",
      """
      mapping 1:1-3:8
        plain "a" 1:1-1:2
          plain "some text" 1:4-1:13
        plain "b" 2:1-2:2
          plain "two lines" 2:4-3:8
      """
    )
  }

  @Test("a quoted scalar includes its quotes")
  func quoted() {
    expect(
      "a: 'it''s'\nb: \"m\\n\n  n\"  # c\n",
      """
      mapping 1:1-3:5
        plain "a" 1:1-1:2
          singleQuoted "it\\'s" 1:4-1:11
        plain "b" 2:1-2:2
          doubleQuoted "m\\n n" 2:4-3:5
      """
    )
  }

  @Test("a block scalar ends at its last nonblank line, without the comments below it")
  func block() {
    expect(
      "a: |  # header\n  one\n  two  \n\n# comment\n\nb: >-\n\nc: |2\n    x\n   y\n",
      """
      mapping 1:1-11:5
        plain "a" 1:1-1:2
          literal "one\\ntwo  \\n" 1:4-3:8
        plain "b" 7:1-7:2
          folded "" 7:4-7:6
        plain "c" 9:1-9:2
          literal "  x\\n y\\n" 9:4-11:5
      """
    )
  }

  @Test("a block collection starts at its first item and ends after its last")
  func blockCollections() {
    expect(
      "top:\n  - - a\n    - b\n\n  # comment\n  -  c: d\n     e:\n  - \n\n# end\nlast:\n- x\n",
      """
      mapping 1:1-12:4
        plain "top" 1:1-1:4
          sequence 2:3-8:4
            sequence 2:5-3:8
              plain "a" 2:7-2:8
              plain "b" 3:7-3:8
            mapping 6:6-7:8
              plain "c" 6:6-6:7
                plain "d" 6:9-6:10
              plain "e" 7:6-7:7
                plain "" 7:8-7:8
            plain "" 8:4-8:4
        plain "last" 11:1-11:5
          sequence 12:1-12:4
            plain "x" 12:3-12:4
      """
    )
  }

  @Test("a flow collection includes its brackets")
  func flowCollections() {
    expect(
      "a: [1,  2 ] \nb: {a, b: , c : 2}\nc: [a: b , c]\n",
      """
      mapping 1:1-3:14
        plain "a" 1:1-1:2
          sequence 1:4-1:12
            plain "1" 1:5-1:6
            plain "2" 1:9-1:10
        plain "b" 2:1-2:2
          mapping 2:4-2:19
            plain "a" 2:5-2:6
              plain "" 2:6-2:6
            plain "b" 2:8-2:9
              plain "" 2:10-2:10
            plain "c" 2:13-2:14
              plain "2" 2:17-2:18
        plain "c" 3:1-3:2
          sequence 3:4-3:14
            mapping 3:5-3:9
              plain "a" 3:5-3:6
                plain "b" 3:8-3:9
            plain "c" 3:12-3:13
      """
    )
  }

  @Test("a missing value comes after the token that precedes it, even if the next token is lines below")
  func missingValues() {
    expect(
      "? a\n? b\n\n# c\n\nd:\n\n\n",
      """
      mapping 1:1-6:3
        plain "a" 1:3-1:4
          plain "" 1:4-1:4
        plain "b" 2:3-2:4
          plain "" 2:4-2:4
        plain "d" 6:1-6:2
          plain "" 6:3-6:3
      """
    )
  }

  @Test("an anchor or tag is not part of its node")
  func properties() {
    expect(
      "a: &x  # note\n\n  v: 1\n\nb: !!int &n 12\nc: &l [1]\nd: !!str\ne: ! 1\n",
      """
      mapping 1:1-8:7
        plain "a" 1:1-1:2
          mapping 3:3-3:7
            plain "v" 3:3-3:4
              plain "1" 3:6-3:7
        plain "b" 5:1-5:2
          plain "12" 5:13-5:15 !!int
        plain "c" 6:1-6:2
          sequence 6:7-6:10
            plain "1" 6:8-6:9
        plain "d" 7:1-7:2
          plain "" 7:9-7:9 !!str
        plain "e" 8:1-8:2
          plain "1" 8:6-8:7 !!str
      """
    )
  }

  @Test("an alias yields the node of its anchor, and ends its collection")
  func aliases() {
    expect(
      "a: &x 1\nb:\n  - *x\nc: 2\n",
      """
      mapping 1:1-4:5
        plain "a" 1:1-1:2
          plain "1" 1:7-1:8
        plain "b" 2:1-2:2
          sequence 3:3-3:7
            plain "1" 1:7-1:8
        plain "c" 4:1-4:2
          plain "2" 4:4-4:5
      """
    )
  }

  @Test("columns count Unicode scalars")
  func scalars() {
    expect(
      "é: ü\n\"ß\": {日本: 語 , x: \"á\\u00e9\"}\n👩‍🚀: |\n  ö\n",
      """
      mapping 1:1-4:4
        plain "é" 1:1-1:2
          plain "ü" 1:4-1:5
        doubleQuoted "ß" 2:1-2:4
          mapping 2:6-2:28
            plain "日本" 2:7-2:9
              plain "語" 2:11-2:12
            plain "x" 2:15-2:16
              doubleQuoted "áé" 2:18-2:27
        plain "👩‍🚀" 3:1-3:4
          literal "ö\\n" 3:6-4:4
      """
    )
  }

  @Test("carriage returns end lines, alone or before a line feed, and a byte order mark takes no column")
  func lineBreaks() {
    expect(
      "\u{FEFF}a: 1\r\nb:\r\n- |\r\n  x\r\n\r\nc: 2\rd: 3",
      """
      mapping 1:1-7:5
        plain "a" 1:1-1:2
          plain "1" 1:4-1:5
        plain "b" 2:1-2:2
          sequence 3:1-4:4
            literal "x\\n" 3:3-4:4
        plain "c" 6:1-6:2
          plain "2" 6:4-6:5
        plain "d" 7:1-7:2
          plain "3" 7:4-7:5
      """
    )
  }

  @Test("U+2028 does not end a line")
  func lineSeparator() {
    let root = readYAML("a: \"x\u{2028}y\" # \u{2029}\nb: 1\n").root
    #expect(root?["a"]?.text?.unicodeScalars.map(\.value) == [0x78, 0x2028, 0x79])
    #expect(root?["a"]?.range.end == SourceMark(line: 1, column: 9))
    #expect(root?["b"]?.range.start == SourceMark(line: 2, column: 4))
  }

  @Test("tabs may separate tokens, and count as one column")
  func tabs() {
    expect(
      "a:\tb\t# c\nd: [1,\t2]\n",
      """
      mapping 1:1-2:10
        plain "a" 1:1-1:2
          plain "b" 1:4-1:5
        plain "d" 2:1-2:2
          sequence 2:4-2:10
            plain "1" 2:5-2:6
            plain "2" 2:8-2:9
      """
    )
  }

  private func expect(_ text: String, _ outline: String, at location: SourceLocation = #_sourceLocation) {
    let (root, diagnostics) = readYAML(text)
    #expect(diagnostics == [], sourceLocation: location)
    #expect(root?.outline == outline, sourceLocation: location)
  }
}

import PipelineLanguage
import Testing

@Suite("Places inside YAML scalars")
struct YAMLScalarPlacesTests {
  @Test(
    "the part XY of a scalar's text is located where it is written",
    arguments: [
      ("a: one XY two\n", "1:8-1:10"),
      ("a: 'it''s XY'\n", "1:11-1:13"),
      ("a: \"\\t\\x41\\u00e9 XY\"\n", "1:18-1:20"),
      ("a: \"X\\x59\"\n", "1:5-1:10"),
      ("a: one\n   two\n\n\n   é XY z\n", "5:6-5:8"),
      ("a: 'one  \n   two\n\n   XY'\n", "4:4-4:6"),
      ("a: \"one \\\n   XY\"\n", "2:4-2:6"),
      ("a: \"one \\\n\n   \\  XY\"\n", "3:7-3:9"),
      ("a: |\n  one\n\n    two XY\n  three\n", "4:9-4:11"),
      ("a: |2-\n    x\n   XY\n", "3:4-3:6"),
      ("a: >\n\n  one\n  XY\n\n\n    more\n", "4:3-4:5"),
      ("a: >-\n  one\n    more\n   \n  last XY", "5:8-5:10"),
      ("日: 本 XY\r\n", "1:6-1:8"),
    ]
  )
  func parts(text: String, place: String) throws {
    let source = SourceText(path: "t.yaml", text: text)
    let node = try #require(YAMLReader.read(source).root?.entries?.first?.value)
    let scalars = Array(try #require(node.text).unicodeScalars)
    let offset = try #require(scalars.indices.first { scalars[$0...].starts(with: "XY".unicodeScalars) })
    #expect(brief(source.range(from: offset, length: 2, in: node)) == place)
  }

  @Test("a missing part, or one of a node that is not a scalar, is located at the whole node")
  func absent() throws {
    let source = SourceText(path: "t.yaml", text: "a: one\nb: [x]\n")
    let root = try #require(YAMLReader.read(source).root)
    #expect(brief(source.range(from: 3, length: 1, in: try #require(root["a"]))) == "1:4-1:7")
    #expect(brief(source.range(from: -1, length: 1, in: try #require(root["a"]))) == "1:4-1:7")
    #expect(brief(source.range(from: 0, length: 1, in: try #require(root["b"]))) == "2:4-2:7")
    #expect(brief(source.range(from: 1, length: 9, in: try #require(root["a"]))) == "1:5-1:7")
    #expect(brief(source.range(from: 1, length: 0, in: try #require(root["a"]))) == "1:5-1:6")
  }

  private func brief(_ range: SourceRange) -> String {
    "\(range.start.line):\(range.start.column)-\(range.end.line):\(range.end.column)"
  }
}

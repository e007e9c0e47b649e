import PipelineLanguage
import Testing

@Suite("Errors in a YAML file other than syntax errors")
struct YAMLFindingsTests {
  @Test("a duplicate key is an error that names the line of the first one")
  func duplicateKeys() {
    let (root, diagnostics) = readYAML("a: 1\nb: 2\n\"a\": 3\nc: {x: 1, 'x': 2}\n")
    #expect(diagnostics.map(\.brief) == ["3:1-3:4 duplicate-key", "4:11-4:14 duplicate-key"])
    #expect(
      diagnostics.map(\.message) == [
        "the key 'a' is already there, first at line 1", "the key 'x' is already there, first at line 4",
      ])
    #expect(root?["a"]?.coreScalar == .int(1))
    #expect(root?.entries?.map(\.name) == ["a", "b", "c"])
  }

  @Test("a duplicate key is found among many keys")
  func duplicateKeyAmongMany() {
    let keys = (1...40).map { "k\($0): \($0)\n" }.joined()
    #expect(
      yamlFindings(in: keys + "k3: 1\nk40: 1\nk41: 1\n") == ["41:1-41:3 duplicate-key", "42:1-42:4 duplicate-key"])
  }

  @Test("a list or mapping as key is an error, and is left out with its value")
  func keyNotScalar() {
    let (root, diagnostics) = readYAML("[x]: 2\n? {a: 1}\n: y\nb: 1\n")
    #expect(diagnostics.map(\.brief) == ["1:1-1:4 key-not-scalar", "2:3-2:9 key-not-scalar"])
    #expect(root?.entries?.map(\.name) == ["b"])
  }

  @Test("<< is an error, except in quotes")
  func mergeKey() {
    let (root, diagnostics) = readYAML("a: &a {x: 1}\nb: {<<: *a, y: 2}\nc: {\"<<\": 1}\n")
    #expect(diagnostics.map(\.brief) == ["2:5-2:7 merge-key"])
    #expect(diagnostics.first?.fix == "write the merged keys out here")
    #expect(root?["b"]?.entries?.map(\.name) == ["y"])
    #expect(root?["c"]?.entries?.map(\.name) == ["<<"])
  }

  @Test(
    "a second document is an error",
    arguments: [
      ("a: 1\n---\nb: 2\n", "2:1-2:4 multiple-documents"), ("a: 1\n...\nb: 2\n", "3:1-3:2 multiple-documents"),
      ("--- a\n--- b\n", "2:1-2:4 multiple-documents"), ("a: 1\n---\n", "2:1-2:4 multiple-documents"),
    ])
  func multipleDocuments(text: String, finding: String) {
    #expect(yamlFindings(in: text) == [finding])
    #expect(readYAML(text).root == nil)
  }

  @Test("document marks around the only document are allowed")
  func oneDocument() {
    #expect(yamlFindings(in: "%YAML 1.2\n---\na: 1\n...\n") == [])
  }

  @Test(
    "a file without content is an error",
    arguments: ["", "\n\n", "# only\n", "---\n", "---\n...\n", "\u{FEFF}", "\r\r"])
  func emptyFile(text: String) {
    #expect(yamlFindings(in: text) == ["1:1-1:1 empty-file"])
    #expect(readYAML(text).root == nil)
  }

  @Test(
    "tags outside the core schema are errors at the tag",
    arguments: [
      ("a: !foo bar\n", "1:4-1:8 tag-unsupported"), ("a: !!binary aGk=\n", "1:4-1:12 tag-unsupported"),
      ("a: !release.draft\n", "1:4-1:18 tag-unsupported"), ("a: &x !foo\n  b: 1\n", "1:7-1:11 tag-unsupported"),
      ("a: !<tag:x.org,1:y> b\n", "1:4-1:20 tag-unsupported"),
    ])
  func unsupportedTags(text: String, finding: String) {
    #expect(yamlFindings(in: text) == [finding])
    #expect(readYAML(text).root?["a"]?.isFaulty == true)
  }

  @Test(
    "a tag that does not match its node is an error at the tag",
    arguments: [
      ("a: !!int x\n", "the text 'x' cannot be read as !!int"),
      ("a: !!int 1.5\n", "the text '1.5' cannot be read as !!int"),
      ("a: !!bool yes\n", "the text 'yes' cannot be read as !!bool"),
      ("a: !!seq x\n", "the text 'x' cannot be read as !!seq"),
      ("a: !!map [x]\n", "a list cannot be read as !!map"), ("a: !!str {}\n", "a mapping cannot be read as !!str"),
      ("a: !!null x\n", "the text 'x' cannot be read as !!null"),
    ])
  func misfittingTags(text: String, message: String) {
    let diagnostics = readYAML(text).diagnostics
    #expect(diagnostics.map(\.message) == [message])
    #expect(diagnostics.map(\.code) == ["tag-mismatch"])
    #expect(diagnostics.map(\.range.start) == [SourceMark(line: 1, column: 4)])
  }

  @Test("100 levels are allowed, and the 101st is an error", arguments: [("[", "]"), ("{a: ", "}")])
  func flowDepth(open: String, close: String) {
    func nested(_ depth: Int) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    #expect(yamlFindings(in: nested(100)) == [])
    let column = 100 * open.count + 1
    #expect(yamlFindings(in: nested(101)) == ["1:\(column)-1:\(column + 1) too-deep"])
    #expect(readYAML(nested(101)).root == nil)
  }

  @Test("depth is limited in block style too, before a million levels are read")
  func blockDepth() {
    #expect(yamlFindings(in: String(repeating: "- ", count: 101) + "x") == ["1:201-1:202 too-deep"])
    #expect(yamlFindings(in: String(repeating: "- ", count: 1_000_000)) == ["1:201-1:202 too-deep"])
    #expect(yamlFindings(in: String(repeating: "[", count: 1_000_000)) == ["1:101-1:102 too-deep"])
  }

  @Test("a file larger than 16 MiB is an error, but one of exactly 16 MiB is not")
  func size() {
    let comment = "a: 1 #" + String(repeating: "x", count: YAMLReader.maximumSize - 6)
    #expect(yamlFindings(in: comment) == [])
    #expect(yamlFindings(in: comment + "x") == ["1:1-1:1 file-too-large"])
  }

  @Test("findings before a syntax error are returned with it")
  func findingsBeforeSyntaxError() {
    #expect(yamlFindings(in: "a: 1\na: 2\nb: @\n") == ["2:1-2:2 duplicate-key", "3:4-3:5 yaml-syntax"])
    #expect(readYAML("a: 1\na: 2\nb: @\n").root == nil)
  }

  @Test("at most 1000 findings are kept")
  func manyFindings() {
    #expect(yamlFindings(in: String(repeating: "a: 1\n", count: 5_000)).count == 1_000)
  }

  @Test("a message quotes only the start of a long key")
  func longKey() {
    let key = String(repeating: "k", count: 500)
    let expected = "the key '\(String(repeating: "k", count: 40))…' is already there, first at line 1"
    #expect(readYAML("\(key): 1\n\(key): 2\n").diagnostics.map(\.message) == [expected])
  }
}

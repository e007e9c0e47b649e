import PipelineLanguage
import Testing

@Suite("YAML aliases")
struct YAMLAliasTests {
  @Test("an alias refers to the latest node with its anchor")
  func latest() {
    let root = readYAML("a: &x 1\nb: *x\nc: &x 2\nd: *x\n").root
    #expect(root?["b"]?.coreScalar == .int(1))
    #expect(root?["d"]?.coreScalar == .int(2))
  }

  @Test("an anchor inside a node with the same anchor replaces it")
  func inner() {
    let root = readYAML("a: &x [&x 1]\nb: *x\n").root
    #expect(root?["b"]?.coreScalar == .int(1))
  }

  @Test("an alias may be a key if it refers to a scalar")
  func keys() {
    #expect(readYAML("a: &x k\n*x : 1\n").root?["k"]?.coreScalar == .int(1))
    #expect(yamlFindings(in: "a: &x [k]\n*x : 1\n") == ["1:7-1:10 key-not-scalar"])
    #expect(yamlFindings(in: "a: &x a\n*x : 1\n") == ["1:7-1:8 duplicate-key"])
    #expect(yamlFindings(in: "*x : 1\n") == ["1:1-1:3 unknown-alias"])
  }

  @Test("an alias without an anchor is an error that suggests the nearest one")
  func unknown() {
    let (root, diagnostics) = readYAML("a: &defaults 1\nb: *default\nc: *q\n")
    #expect(diagnostics.map(\.brief) == ["2:4-2:12 unknown-alias", "3:4-3:6 unknown-alias"])
    #expect(
      diagnostics.map(\.fix) == ["did you mean '*defaults'?", "quote the value if it only begins with '*'"]
    )
    #expect(root?["b"]?.isFaulty == true)
  }

  @Test("an alias inside its own node is an error")
  func recursive() {
    #expect(yamlFindings(in: "a: &x [1, {b: *x}]\n") == ["1:15-1:17 recursive-alias"])
  }

  @Test("aliases may expand to 100,000 nodes in total, and no more")
  func expansion() {
    // Each alias stands for a list of 999 items and the list itself.
    let list = "a: &a [" + Array(repeating: "x", count: 999).joined(separator: ",") + "]\n"
    let aliases = "b:\n" + String(repeating: "- *a\n", count: 100)
    #expect(yamlFindings(in: list + aliases) == [])
    #expect(yamlFindings(in: list + aliases + "- *a\n- *a\n") == ["103:3-103:5 alias-expansion"])
  }

  @Test("an alias bomb is stopped at the limit")
  func bomb() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...20 {
      text += "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ") + "]\n"
    }
    let (root, diagnostics) = readYAML(text)
    #expect(diagnostics.map(\.brief) == ["5:45-5:48 alias-expansion"])
    #expect(root != nil)
  }

  @Test("aliases count toward the depth")
  func depth() {
    let inner = "a: &a " + String(repeating: "[", count: 50) + String(repeating: "]", count: 50) + "\n"
    func outer(_ depth: Int) -> String {
      "b: " + String(repeating: "[", count: depth) + "*a" + String(repeating: "]", count: depth) + "\n"
    }
    #expect(yamlFindings(in: inner + outer(49)) == [])
    #expect(yamlFindings(in: inner + outer(50)) == ["2:54-2:56 too-deep"])
    var chain = "- &a0 []\n"
    for level in 1...200 { chain += "- &a\(level) [*a\(level - 1)]\n" }
    #expect(yamlFindings(in: chain) == ["100:9-100:13 too-deep"])
  }
}

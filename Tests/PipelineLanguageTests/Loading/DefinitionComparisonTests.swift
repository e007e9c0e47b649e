import Testing

@testable import PipelineLanguage

@Suite("A change in a definition") struct DefinitionComparisonTests {
  private typealias Change = DefinitionComparison.Change

  struct Row: Sendable, CustomTestStringConvertible {
    var what: String
    var before: String
    var after: String
    var changes: [DefinitionComparison.Change]?
    var testDescription: String { what }
  }

  /// Returns the changes of the operation `x` between two texts of a file; nil if there is nothing to compare, or the operation did not exist.
  private func changes(
    _ before: String, _ after: String, nested: [(String, String)] = [("inner", "inner")]
  ) throws -> [DefinitionComparison.Change]? {
    func texts(_ text: String) -> [String: String] {
      ["/p/inner.yaml": "operations: [{ name: i, value: \(text) }] # \(text.count)"]
    }
    let (old, new) = nested[0]
    let loaded = PipelineLoader.load(text: after, path: "/p/main.yaml", nested: texts(new))
    let pipeline = try #require(loaded.pipeline, "\(loaded.diagnostics.map(\.message))")
    let known = texts(old).filter { before.contains("inner.yaml") && $0.key == "/p/inner.yaml" }
    guard
      let comparison = DefinitionComparison(of: pipeline, with: before, path: "/p/main.yaml", nested: known)
    else { return nil }
    return comparison.changes(at: try #require(pipeline.operations.firstIndex { $0.name == "x" }))
  }

  private static func operation(_ what: String, _ before: String, _ after: String, _ changes: Change...) -> Row {
    Row(
      what: what, before: "operations: [{ name: x, \(before) }]", after: "operations: [{ name: x, \(after) }]",
      changes: changes)
  }

  private static let rows: [Row] = [
    operation("a script", "run: make", "run: make all", .definition),
    operation("another action", "run: make", "command: [make]", .definition),
    operation("an argument", "command: [make]", "command: [make, all]", .definition),
    operation("a variable", "run: make, env: { A: 1 }", "run: make, env: { A: 2 }", .definition),
    operation("the shell", "run: make", "run: make, shell: bash", .definition),
    operation("the directory", "run: make", "run: make, directory: sub", .definition),
    operation("a condition", "run: make", "run: make, when: 'true'", .definition),
    operation("the type of the result", "run: make", "run: make, result: string", .definition),
    operation("text in place of a number", "value: 1", "value: '1'", .definition),
    operation("the list of a loop", "run: make, for_each: [1]", "run: make, for_each: [1, 2]", .items),
    operation("quotes around text", "run: make", "run: 'make'"),
    operation("the order of keys", "run: make, result: string", "result: string, run: make"),
    operation("a description", "run: make", "run: make, description: makes it"),
    operation(
      "how often and how long", "run: make", "run: make, retry: 3, timeout: 5m, grace: 1s, allow_failure: true"),
    operation("when it is reused", "run: make", "run: make, stale_after: 1h"),
    operation("labels", "run: make, for_each: [1]", "run: make, for_each: [1], label: one, max_failures: 3"),
    Row(
      what: "the place in the file", before: "operations: [{ name: x, value: 1 }, { name: y, value: 2 }]",
      after: "# moved\noperations:\n  - { name: y, value: 2 }\n  - { name: x, value: 1 }\n", changes: []),
    Row(
      what: "what is needed", before: "operations: [{ name: y, value: 2 }, { name: x, value: 1 }]",
      after: "operations: [{ name: y, value: 2 }, { name: x, value: 1, needs: y }]", changes: []),
    Row(
      what: "an alias and what it stands for",
      before: "operations: [{ name: w, value: &v [1] }, { name: x, value: *v }]",
      after: "operations: [{ name: w, value: [1] }, { name: x, value: [1] }]", changes: []),
    Row(
      what: "a default that it has not overridden",
      before: "defaults: { env: { A: 1, B: 1 } }\noperations: [{ name: x, run: make }]",
      after: "defaults: { env: { A: 2, B: 1 } }\noperations: [{ name: x, run: make }]", changes: [.definition]),
    Row(
      what: "a default that it has overridden",
      before: "defaults: { env: { A: 1 } }\noperations: [{ name: x, run: make, env: { A: 3 } }]",
      after: "defaults: { env: { A: 2 } }\noperations: [{ name: x, run: make, env: { A: 3 } }]", changes: []),
    Row(
      what: "a variable of the pipeline",
      before: "env: { A: 1, B: 1 }\noperations: [{ name: x, run: make, env: { B: 3 } }]",
      after: "env: { A: 2, B: 2 }\noperations: [{ name: x, run: make, env: { B: 3 } }]", changes: [.environment(["A"])]),
    Row(
      what: "a variable that nobody gets", before: "env: { A: 1 }\noperations: [{ name: x, value: 1 }]",
      after: "env: { A: 2 }\noperations: [{ name: x, value: 1 }]", changes: []),
    Row(
      what: "where a secret comes from",
      before: "secrets: { t: { env: A } }\noperations: [{ name: x, run: make, env: { T: '${{ secrets.t }}' } }]",
      after: "secrets: { t: { env: B } }\noperations: [{ name: x, run: make, env: { T: '${{ secrets.t }}' } }]",
      changes: [.secrets(["t"])]),
    Row(
      what: "an operation that was not there", before: "operations: [{ name: y, value: 1 }]",
      after: "operations: [{ name: x, value: 1 }]", changes: nil),
  ]

  @Test("counts if it affects an operation's result", arguments: rows)
  func change(_ row: Row) throws {
    #expect(try changes(row.before, row.after) == row.changes)
  }

  @Test("counts in a nested pipeline, unless it is a comment")
  func nested() throws {
    let text = "operations: [{ name: x, pipeline: inner.yaml }]"
    #expect(try changes(text, text, nested: [("1", "22")]) == [.pipeline("inner.yaml")])
    #expect(try changes(text, text, nested: [("1", "1")]) == nil)
    #expect(try changes(text, text, nested: [("one", "'one'")]) == [])
  }

  @Test("cannot be determined if the earlier text no longer loads")
  func unreadable() throws {
    #expect(try changes("operations: 5", "operations: [{ name: x, value: 1 }]") == nil)
  }

  /// Returns the changes of the operation `x` of a file if variables in files change.
  private func changes(_ text: String, from before: [String: String], to after: [String: String]) throws -> [Change]? {
    func load(_ files: [String: String]) throws -> PipelineDefinition {
      let texts = Dictionary(uniqueKeysWithValues: files.map { ("/p/\($0)", $1) })
      let loaded = PipelineLoader.load(text: text, path: "/p/main.yaml", nested: texts)
      return try #require(loaded.pipeline, "\(loaded.diagnostics.map(\.message))")
    }
    let (former, now) = (try load(before), try load(after))
    let comparison = DefinitionComparison(
      of: now, with: text, path: "/p/main.yaml", nested: former.recordedTexts)
    return comparison?.changes(at: try #require(now.operations.firstIndex { $0.name == "x" }))
  }

  @Test(
    "is distinguished from a change, addition or removal of a variable in a file")
  func variablesOfFiles() throws {
    let own = "operations: [{ name: x, run: make, env_file: [a.env, b.env], env: { B: mine } }]"
    let former = ["a.env": "A=1\nB=1", "b.env": "C=1"]
    func change(_ files: [String: String]) throws -> [Change]? { try changes(own, from: former, to: files) }
    #expect(try change(["a.env": "A=2\nB=1", "b.env": "C=1"]) == [.fileVariables(["A"], file: "a.env")])
    #expect(try change(["a.env": "B=1", "b.env": "C=1"]) == [.fileVariables(["A"], file: "a.env")])
    #expect(try change(["a.env": "A=1\nB=1", "b.env": "C=1\nD=4"]) == [.fileVariables(["D"], file: "b.env")])
    #expect(try change(["a.env": "A=2\nB=1", "b.env": "C=2"]) == [.fileVariables(["A", "C"], file: nil)])
    #expect(try change(["a.env": "A=1\nB=2", "b.env": "C=1"]) == [])
    let pipeline = "env_file: a.env\nenv: { B: mine }\noperations: [{ name: x, run: make }, { name: y, value: 1 }]"
    #expect(
      try changes(pipeline, from: ["a.env": "A=1\nB=1"], to: ["a.env": "A=2\nB=2"])
        == [.fileVariables(["A"], file: "a.env")])
    #expect(
      try changes(pipeline, from: ["a.env": "A=1"], to: ["a.env": "B=2"]) == [.fileVariables(["A"], file: "a.env")])
    let outer = "operations: [{ name: x, pipeline: inner.yaml }]"
    let inner = "env_file: a.env\noperations: [{ name: i, run: make }]"
    #expect(
      try changes(outer, from: ["inner.yaml": inner, "a.env": "A=1"], to: ["inner.yaml": inner, "a.env": "A=2"])
        == [.pipelineSettings("inner.yaml")])
  }
}

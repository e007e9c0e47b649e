import Foundation
import Testing

@testable import PipelineLanguage

@Suite("Nested pipelines")
struct NestedPipelineTests {
  /// Writes the files into a new folder, loads `main.yaml`, and removes the folder. Paths in the findings are relative to the folder.
  private func load(_ files: [String: String]) throws -> (found: [String], pipeline: PipelineDefinition?) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "penstock-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      let file = folder.appending(path: name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let result = PipelineLoader.load(path: folder.path + "/main.yaml")
    let found = result.diagnostics.map { finding in
      (finding.file + ":" + shown(finding)).replacing(folder.path + "/", with: "")
    }
    return (found, result.pipeline)
  }

  private let child = """
    params:
      tag: string
      count: { type: int, default: 1, min: 1 }
    operations:
      - { name: build, run: ls, result: [string] }
      - { name: pause, wait: 1s }
    """

  @Test("a nested pipeline is loaded, and its operations' results form its result")
  func loading() throws {
    let (found, pipeline) = try load([
      "main.yaml": """
      operations:
        - { name: release, pipeline: ./parts/child.yaml, params: { tag: v1, count: 2 } }
        - { name: other, pipeline: { file: parts/child.yaml, params: { tag: "${{ results.release.build[0] }}" } } }
        - { name: use, value: "${{ results.release.biuld }}" }
      """,
      "parts/child.yaml": child,
    ])
    #expect(
      found == [
        "main.yaml:4:46 unknown-member 'results.release' has no member 'biuld' (did you mean 'results.release.build'?)"
      ])
    #expect(pipeline == nil)
    let whole = try load([
      "main.yaml": "operations: [{ name: release, pipeline: ./parts/child.yaml, params: { tag: v1 } }]",
      "parts/child.yaml": child,
    ])
    #expect(whole.found == [])
    let nested = try #require(whole.pipeline?.nested["./parts/child.yaml"])
    #expect(nested.name == "child")
    #expect(nested.operations.map(\.name) == ["build", "pause"])
    #expect(nested.source.directory.hasSuffix("/parts"))
    #expect(nested.source.hash.count == 64)
  }

  @Test("inferred types of a nested pipeline's values are known outside")
  func valueTypes() throws {
    let (found, _) = try load([
      "main.yaml": """
      operations:
        - { name: n, pipeline: middle.yaml }
        - { name: a, inject: "${{ results.n.k }}", requires: int, run: cat }
        - { name: b, value: "${{ results.n.o.zz }} ${{ results.n.list[0].x }} ${{ results.n.inner.o.zz }}" }
        - { name: c, pipeline: child.yaml, params: { count: "${{ results.n.k }}" } }
        - { name: d, value: "${{ results.n.o.y }} ${{ results.n.any.thing }} ${{ results.n.said.zz }}" }
      """,
      "middle.yaml": """
      operations:
        - { name: k, value: text }
        - { name: o, value: { y: 5 } }
        - { name: list, for_each: [1, 2], value: "${{ item }}" }
        - { name: any, value: "${{ fromJSON(results.k) }}" }
        - { name: said, value: { y: 5 }, result: json }
        - { name: inner, pipeline: child.yaml, params: { count: 2 } }
      """,
      "child.yaml": """
      params: { count: int }
      operations: [{ name: o, value: { y: "${{ params.count }}" } }]
      """,
    ])
    #expect(
      found == [
        "main.yaml:3:24 type-mismatch operation 'a' requires int, but 'inject' gives string",
        "main.yaml:4:40 unknown-member 'results.n.o' has no member 'zz' (its members are y)",
        "main.yaml:4:68 no-members 'results.n.list[0]' is an int and has no member 'x'",
        "main.yaml:4:95 unknown-member 'results.n.inner.o' has no member 'zz' (its members are y)",
        "main.yaml:5:55 type-mismatch the param 'count' is int, found string",
      ])
  }

  @Test("a nested pipeline with errors is checked as far as it is known")
  func knownPart() throws {
    let (found, _) = try load([
      "main.yaml": """
      operations:
        - { name: a, pipeline: child.yaml, params: { cuont: 1 } }
        - { name: b, pipeline: child.yaml, params: { tag: 12, odd: [1], key: x } }
        - { name: c, value: "${{ results.b.bulid }} ${{ results.b.build[0].x }} ${{ results.b.lost.x[0] }} ${{ results.b.odd.x }} ${{ results.b.even.x }}" }
      """,
      "child.yaml": """
      params:
        tag: string
        count: { type: int, default: 1 }
        odd: { tpye: string }
        key: { type: strng }
      operations:
        - { name: build, run: ls, result: [string] }
        - { name: lost, run: ls, result: [strng] }
        - { name: odd, value: 1, tiemout: 1s }
        - { name: even, value: 2 }
      """,
    ])
    #expect(
      found.filter { $0.hasPrefix("main") } == [
        "main.yaml:2:26 missing-param the pipeline 'child' needs the param 'tag', a string (add 'params: {tag: …}')",
        "main.yaml:2:48 unknown-param the pipeline 'child' has no param 'cuont' (did you mean 'count'?)",
        "main.yaml:3:53 type-mismatch the param 'tag' has the wrong type: expected string, found int 12",
        "main.yaml:4:38 unknown-member 'results.b' has no member 'bulid' (did you mean 'results.b.build'?)",
        "main.yaml:4:70 no-members 'results.b.build[0]' is a string and has no member 'x'",
        "main.yaml:4:144 no-members 'results.b.even' is an int and has no member 'x'",
      ])
    #expect(found.count == 10)
  }

  @Test(
    "unknown parts of a nested pipeline with errors are not reported as missing",
    arguments: [
      "parms: { tag: string }\noperations: [{ run: ls }]",
      "params: [tag]\noperations: { build: { run: ls } }",
      "params: { tag: { type: int } }\noperations: [{ name: build",
      "params: { tag: { type: nit } }\noperations: [{ name: build }]",
    ])
  func unknownPart(child: String) throws {
    let (found, _) = try load([
      "main.yaml": """
      operations:
        - { name: a, pipeline: child.yaml, params: { tag: [1] } }
        - { name: b, value: "${{ results.a.build.x }}" }
      """,
      "child.yaml": child,
    ])
    #expect(!found.isEmpty)
    #expect(found.allSatisfy { $0.hasPrefix("child") }, "\(found)")
  }

  @Test("params are checked against the nested pipeline's declarations")
  func params() throws {
    let (found, _) = try load([
      "main.yaml": """
      operations:
        - { name: a, pipeline: child.yaml }
        - { name: b, pipeline: child.yaml, params: { tga: x } }
        - { name: c, pipeline: child.yaml, params: { tag: x, count: 0 } }
        - { name: d, pipeline: child.yaml, params: { tag: 12, count: "${{ run.id }}" } }
      """,
      "child.yaml": child,
    ])
    #expect(
      found == [
        "main.yaml:2:26 missing-param the pipeline 'child' needs the param 'tag', a string (add 'params: {tag: …}')",
        "main.yaml:3:48 unknown-param the pipeline 'child' has no param 'tga' (did you mean 'tag'?)",
        "main.yaml:4:63 type-mismatch the param 'count' must be at least 1, found 0",
        "main.yaml:5:53 type-mismatch the param 'tag' has the wrong type: expected string, found int 12",
        "main.yaml:5:64 type-mismatch the param 'count' is int, found string",
      ])
  }

  @Test("params are given in only one place")
  func paramsTwice() throws {
    let (found, _) = try load([
      "main.yaml":
        "operations: [{ name: a, pipeline: { file: child.yaml, params: { tag: x } }, params: { tag: y } }]",
      "child.yaml": child,
    ])
    #expect(found == ["main.yaml:1:77 several-params 'params' is given both in 'pipeline' and beside it"])
  }

  @Test("a missing file is an error at its path")
  func missingFiles() throws {
    let (found, _) = try load([
      "main.yaml": "operations:\n  - { name: a, pipeline: ./no.yaml }\n  - { name: b, pipeline: parts }\n",
      "parts/x": "",
    ])
    #expect(found.count == 2)
    #expect(found.first == "main.yaml:2:26 file-not-found there is no file 'no.yaml'")
    #expect(found.last?.hasPrefix("main.yaml:3:26 file-unreadable") == true)
    #expect(
      PipelineLoader.load(path: "/nowhere/x.yaml").diagnostics.map(shown) == [
        "1:1 file-not-found there is no file '/nowhere/x.yaml'"
      ])
  }

  @Test("errors in a nested pipeline are reported once, with its own path and no consequential errors")
  func nestedErrors() throws {
    let (found, pipeline) = try load([
      "main.yaml": """
      operations:
        - { name: a, pipeline: child.yaml }
        - { name: b, pipeline: ./child.yaml }
        - { name: c, value: "${{ results.a.x.anything }}" }
      """,
      "child.yaml": "operations: [{ name: x, rnu: ls }]",
    ])
    #expect(found == ["child.yaml:1:25 unknown-key an operation has no key 'rnu' (did you mean 'run'?)"])
    #expect(pipeline == nil)
  }

  @Test("a pipeline that runs itself is an error that shows the chain")
  func recursion() throws {
    let (found, _) = try load([
      "main.yaml": "operations: [{ name: a, pipeline: b.yaml }]",
      "b.yaml": "operations: [{ name: b, pipeline: ./main.yaml }]",
    ])
    #expect(
      found == ["b.yaml:1:35 recursive-pipeline the pipeline runs itself: main.yaml → b.yaml → main.yaml"])
  }

  @Test("the nesting depth of pipelines is limited")
  func depth() throws {
    var files: [String: String] = ["main.yaml": "operations: [{ name: a, pipeline: 1.yaml }]"]
    for level in 1...30 {
      files["\(level).yaml"] = "operations: [{ name: a, pipeline: \(level + 1).yaml }]"
    }
    let (found, _) = try load(files)
    #expect(found == ["20.yaml:1:35 too-deep pipelines are nested more than 20 deep"])
  }

  @Test("a secret passed to a nested pipeline marks its processes, and must not become an argument there")
  func secrets() throws {
    let main = """
      secrets: { token: { env: T } }
      operations: [{ name: a, pipeline: child.yaml, params: { key: "${{ secrets.token }}" } }]
      """
    let marked = try load([
      "main.yaml": main,
      "child.yaml":
        "params: { key: string }\noperations: [{ name: x, run: ls, env: { K: \"${{ params.key }}\" } }]",
    ])
    #expect(marked.pipeline?.nested["child.yaml"]?.operations.map(\.receivesSecret) == [true])
    let exposed = try load([
      "main.yaml": main,
      "child.yaml": "params: { key: string }\noperations: [{ name: x, command: [echo, \"${{ params.key }}\"] }]",
    ])
    #expect(
      exposed.found == [
        "main.yaml:2:62 secret-in-arguments the param 'key' becomes an argument of 'x' in the nested pipeline, where every user of the computer can see it (let the nested pipeline declare the secret itself)"
      ])
  }

  /// A pipeline that passes a secret to the param `x` of `inner.yaml`.
  private let handing = """
    secrets: { token: { env: TOKEN } }
    operations:
      - { name: go, pipeline: inner.yaml, params: { x: "${{ secrets.token }}" } }
    """

  @Test(
    "a secret that becomes an argument in a nested pipeline is rejected, whatever its path",
    arguments: [
      ("env: { A: \"${{ params.x }}\" }\n", "command: [curl, \"${{ env.A }}\"]"),
      ("env: { A: \"${{ params.x }}\" }\n", "command: [curl, \"${{ env.B }}\"], env: { B: \"a${{ env.A }}\" }"),
      ("env: { A: \"${{ params.x }}\" }\n", "command: [curl, \"${{ toJSON(env) }}\"]"),
      ("defaults: { env: { A: x } }\n", "command: [curl, \"${{ env.B }}\"], env: { B: \"${{ params.x }}\" }"),
      ("", "command: [curl, \"${{ params.X }}\"]"), ("", "command: [curl, \"${{ toJSON(params) }}\"]"),
      ("", "command: [curl, \"${{ env.A }}\"], env: { A: \"${{ params.x }}\" }"),
      ("", "command: [curl, \"${{ env.A }}\"], inject: { A: \"${{ params.x }}\" }"),
      ("", "command: [curl, \"${{ env.B }}\"], env: { A: \"${{ params.x }}\" }, inject: { B: \"${{ env.A }}\" }"),
      ("", "command: [curl, \"${{ item }}\"], for_each: [a, \"${{ params.x }}\"]"),
      ("", "command: [curl, \"${{ t }}\"], for_each: { in: [\"${{ params.x }}\"], as: t }"),
      ("", "command: [curl, \"${{ item.b }}\"], matrix: { a: [1], b: [\"${{ params.x }}\"] }"),
      ("", "command: [curl, \"${{ toJSON(item) }}\"], matrix: { a: [1], b: [\"${{ params.x }}\"] }"),
      ("", "command: [curl, \"${{ env.A }}\"], env: { A: \"${{ item }}\" }, for_each: [\"${{ params.x }}\"]"),
      (
        "env: { A: \"${{ params.x }}\" }\n",
        "command: [curl, \"${{ item }}\"], for_each: [\"${{ env.A }}\"]"
      ),
    ])
  func secretArguments(_ head: String, _ operation: String) throws {
    let found = try load([
      "main.yaml": handing,
      "inner.yaml": "params: { x: string }\n\(head)operations: [{ name: fetch, \(operation) }]",
    ]).found
    #expect(
      found == [
        "main.yaml:3:52 secret-in-arguments the param 'x' becomes an argument of 'fetch' in the nested pipeline, where every user of the computer can see it (let the nested pipeline declare the secret itself)"
      ])
  }

  @Test("a secret is followed through several levels, into handlers and into exclusive names")
  func secretLevels() throws {
    let inner = """
      params: { x: string }
      operations:
        - { name: a, pipeline: most.yaml, params: { y: "b ${{ params.x }}" } }
        - { name: b, pipeline: most.yaml, params: { y: plain } }
      """
    let deep = try load([
      "main.yaml": handing, "inner.yaml": inner,
      "most.yaml": """
      params: { y: string }
      operations: [{ name: c, run: ls }]
      after: { always: [{ name: d, command: [x, "${{ params.y }}"] }] }
      """,
    ]).found
    #expect(
      deep.map { $0.split(separator: " ").prefix(6).joined(separator: " ") } == [
        "main.yaml:3:52 secret-in-arguments the param 'x' becomes"
      ])
    #expect(deep.first?.contains("an argument of 'a/d' in the nested pipeline") == true)
    let exclusive = try load([
      "main.yaml": handing, "inner.yaml": inner,
      "most.yaml":
        "params: { y: string }\noperations: [{ name: c, run: ls, exclusive: \"k${{ item }}\", for_each: [\"${{ params.y }}\"] }]",
    ]).found
    #expect(exclusive.count == 1)
    #expect(exclusive.first?.contains("becomes part of the exclusive name of 'a/c' in the nested pipeline") == true)
  }

  @Test(
    "a secret is rejected in a nested pipeline wherever it is rejected directly",
    arguments: [
      ("run: ls, directory: \"${{ SECRET }}\"", "is used in 'directory' of 'fetch'"),
      ("approve: \"${{ SECRET }}\"", "is used in 'approve' of 'fetch'"),
      ("wait: { until: \"${{ SECRET }}\" }", "is used in 'wait' of 'fetch'"),
      ("wait: \"${{ SECRET }}\"", "is used in 'wait' of 'fetch'"),
      ("value: \"${{ SECRET }}\"", "is used in 'value' of 'fetch'"),
      ("value: { a: [\"${{ SECRET }}\"] }", "is used in 'value' of 'fetch'"),
      ("run: ls, when: SECRET == 'a'", "is used in 'when' of 'fetch'"),
      ("run: ls, repeat: { every: 1s, until: SECRET == 'a' }", "is used in 'until' of 'fetch'"),
      ("run: ls, for_each: [\"${{ SECRET }}\"]", "is used in 'for_each' of 'fetch'"),
      ("run: ls, matrix: { a: [\"${{ SECRET }}\"] }", "is used in 'for_each' of 'fetch'"),
      ("run: ls, exclusive: \"${{ SECRET }}\"", "becomes part of the exclusive name of 'fetch'"),
      ("command: [\"${{ SECRET }}\"]", "becomes an argument of 'fetch'"),
      ("http: { url: \"http://h/\", save_to: \"${{ SECRET }}\" }", "is used in 'http' of 'fetch'"),
      ("run: ls, run_when: \"file-exists(${{ SECRET }})\"", "is used in 'specifications' of 'inner'"),
    ])
  func shownPlaces(_ operation: String, _ message: String) throws {
    func code(_ found: [String]) -> [Substring] { found.map { $0.split(separator: " ")[1] } }
    let direct = try load([
      "main.yaml":
        "secrets: { x: { env: X } }\noperations: [{ name: fetch, \(operation.replacing("SECRET", with: "secrets.x")) }]"
    ]).found
    let nested = try load([
      "main.yaml": handing,
      "inner.yaml":
        "params: { x: string }\noperations: [{ name: fetch, \(operation.replacing("SECRET", with: "params.x")) }]",
    ]).found
    #expect(code(direct).count == 1 && code(nested) == code(direct), "\(direct)\n\(nested)")
    #expect(nested.first?.contains("the param 'x' \(message) in the nested pipeline") == true, "\(nested)")
  }

  @Test("a secret is rejected in the defaults of a nested pipeline, and in its operations through a variable")
  func shownByDefaults() throws {
    let found = try load([
      "main.yaml": handing,
      "inner.yaml":
        "name: calls\nparams: { x: string }\ndefaults: { directory: \"${{ params.x }}\" }\noperations: [{ name: fetch, run: ls }]",
    ]).found
    #expect(found.count == 1 && found.first?.contains("is used in 'directory' of 'calls' in the nested") == true)
    let variable = try load([
      "main.yaml": handing,
      "inner.yaml":
        "params: { x: string }\noperations: [{ name: fetch, run: ls, env: { A: \"${{ params.x }}\" }, directory: \"${{ env.A }}\" }]",
    ]).found
    #expect(variable.count == 1 && variable.first?.contains("is used in 'directory' of 'fetch' in the nested") == true)
  }

  @Test(
    "uses that do not expose the secret are allowed",
    arguments: [
      "run: cat, stdin: \"${{ params.x }}\"", "run: cat, env: { A: \"${{ params.x }}\" }",
      "command: [curl, \"${{ env.A }}\"], env: { A: plain }",
      "run: cat, inject: { B: \"${{ params.x }}\" }",
      "http: { url: \"http://h/\", headers: { A: \"${{ params.x }}\" } }",
      "command: [curl, \"${{ params.y }}\"]", "value: \"${{ params.y }}\"", "approve: \"${{ params.y }}\"",
    ])
  func secretInPlace(_ operation: String) throws {
    let (found, pipeline) = try load([
      "main.yaml": handing,
      "inner.yaml":
        "params: { x: string, y: { default: z } }\nenv: { A: \"${{ params.x }}\" }\noperations: [{ name: fetch, \(operation) }]",
    ])
    #expect(found == [])
    #expect(pipeline != nil)
  }
}

import Foundation
import Testing

@testable import PipelineLanguage

@Suite("Included files and templates")
struct IncludeTests {
  /// Loads `main.yaml` of these in-memory files. Paths in the findings are relative to their folder.
  private func load(_ files: [String: String]) -> (found: [String], pipeline: PipelineDefinition?, result: LoadResult) {
    var nested: [String: String] = [:]
    for (name, text) in files where name != "main.yaml" { nested["/p/\(name)"] = text }
    let result = PipelineLoader.load(text: files["main.yaml"] ?? "", path: "/p/main.yaml", nested: nested)
    let found = result.diagnostics.map { finding in
      let note =
        finding.note.map { " – \($0.file):\($0.range.start.line):\($0.range.start.column) \($0.message)" } ?? ""
      return (finding.file + ":" + shown(finding) + note).replacing("/p/", with: "")
    }
    return (found, result.pipeline, result)
  }

  @Test("an operation has the keys of its template; its own take precedence, and mappings are joined key by key")
  func joining() throws {
    let (found, pipeline, _) = load([
      "main.yaml": """
      include: shared.yaml
      operations:
        - name: lint
          extends: build
          timeout: 9s
          env: { TARGET: lint }
          retry: { limit: 5 }
          result: { b: string }
      """,
      "shared.yaml": """
      templates:
        build:
          description: Builds.
          run: make
          timeout: 5s
          grace: 2s
          env: { CC: clang, TARGET: all }
          retry: { limit: 1, base: 3s }
          result: { a: int }
      """,
    ])
    #expect(found == [])
    let operation = try #require(pipeline?.operations.first)
    #expect(operation.action.kind.key == .run)
    #expect(operation.description == "Builds.")
    #expect(operation.timeout == .seconds(9))
    #expect(operation.grace == .seconds(2))
    #expect(operation.environment.map { "\($0.name)=\($0.value.text)" } == ["CC=clang", "TARGET=lint"])
    #expect(operation.retry.limit == 5)
    #expect(operation.retry.base == .seconds(3))
    // A type is a value and is replaced.
    #expect(operation.result?.description == "{b: string}")
    #expect(operation.range.start.line == 3)
    #expect(pipeline?.included.keys.sorted() == ["/p/shared.yaml"])
    #expect(pipeline?.nestedTexts.keys.sorted() == ["/p/shared.yaml"])
  }

  @Test("mappings in an action are joined as well, but data is not")
  func actions() throws {
    let (found, pipeline, _) = load([
      "main.yaml": """
      templates:
        get: { http: { headers: { A: "1" }, json: { x: 1 }, method: POST, expect: { status: 2xx } } }
      operations:
        - { name: a, extends: get, http: { url: "http://localhost/", headers: { B: "2" }, json: { y: 2 } } }
      """
    ])
    #expect(found == [])
    guard case .http(let action)? = pipeline?.operations.first?.action else {
      Issue.record("no request")
      return
    }
    #expect(action.headers.map(\.name) == ["A", "B"])
    #expect(action.effectiveMethod == "POST")
    #expect("\(action.body)".contains("y"))
    #expect(!"\(action.body)".contains("\"x\""))
  }

  @Test(
    "the pipeline takes precedence over included files, a later file over an earlier one, and a file over what it includes"
  )
  func precedence() throws {
    let (found, pipeline, _) = load([
      "main.yaml": """
      include: [one.yaml, deep/two.yaml]
      env: { D: main }
      defaults: { env: { E: main } }
      operations:
        - { name: a, extends: t, stdin: "" }
      """,
      "one.yaml": """
      include: base.yaml
      env: { A: one, B: one, C: one, D: one }
      defaults: { timeout: 1s, grace: 1s, env: { E: one, F: one } }
      templates: { t: { run: one }, u: { run: u } }
      """,
      "deep/two.yaml": """
      include: ../base.yaml
      env: { B: two }
      defaults: { timeout: 2s }
      templates: { t: { extends: s, directory: /two } }
      """,
      "base.yaml": """
      env: { A: base, C: base }
      defaults: { grace: 9s, shell: bash }
      specifications: { there: file-exists(x) }
      templates: { s: { run: base } }
      """,
    ])
    #expect(found == [])
    let definition = try #require(pipeline)
    // When 'two' includes 'base' again, this does not override 'one'.
    #expect(
      definition.environment.map { "\($0.name)=\($0.value.text)" }.sorted() == ["A=one", "B=two", "C=one", "D=main"])
    let operation = definition.operations[0]
    #expect(operation.timeout == .seconds(2))
    #expect(operation.grace == .seconds(1))
    #expect(operation.shell == ["bash", "-c"])
    #expect(operation.environment.map { "\($0.name)=\($0.value.text)" }.sorted() == ["E=main", "F=one"])
    #expect(operation.directory?.text == "/two")
    #expect(operation.action.kind.summary.contains("base"))
    #expect(definition.specifications.map(\.name) == ["there"])
    #expect(definition.included.count == 3)
  }

  @Test("a template extends those visible to its own file, regardless of the pipeline's templates")
  func scope() throws {
    let (found, pipeline, _) = load([
      "main.yaml": """
      include: shared.yaml
      templates: { shell: { shell: bash } }
      operations: [{ name: a, extends: build }, { name: b, extends: shell, run: echo }]
      """,
      "shared.yaml": "templates: { shell: { shell: dash }, build: { extends: shell, run: make } }",
    ])
    #expect(found == [])
    #expect(pipeline?.operations.map(\.shell) == [["dash", "-c"], ["bash", "-c"]])
  }

  @Test("handlers extend templates too")
  func handlers() throws {
    let (found, pipeline, _) = load([
      "main.yaml": """
      templates: { say: { run: echo } }
      operations: [{ name: a, value: 1 }]
      after: { always: [{ name: b, extends: say }] }
      """
    ])
    #expect(found == [])
    #expect(pipeline?.handlers.first?.operation.action.kind.key == .run)
  }

  @Test("errors in an included file are reported there once, with the including place, whether used or not")
  func mistakes() {
    let (found, _, _) = load([
      "main.yaml": """
      include:
        - shared.yaml
      defaults: { timeout: 1s }
      operations: [{ name: a, extends: unsound }, { name: b, extends: unsound, timeout: 1s }]
      """,
      "shared.yaml": """
      defaults: { timeout: soon, tiemout: 1s }
      env: { LEVEL: "${{ params. }}" }
      template: {}
      operations: []
      templates:
        unused: { run: ls, shel: bash }
        unsound: { comand: [ls] }
        named: { name: x, run: ls }
        several: { run: ls, command: [ls] }
        none: 1
        bad/name: { run: ls }
        open: { env: { A: "1" }, timeout: 2s }
      """,
    ])
    let note = " – main.yaml:2:5 it is included here"
    #expect(
      found == [
        "shared.yaml:1:22 invalid-duration 'timeout' needs a duration with its unit, found 'soon' (write it like '30s', '1h30m' or '200ms')"
          + note,
        "shared.yaml:1:28 unknown-key 'defaults' has no key 'tiemout' (did you mean 'timeout'?)" + note,
        "shared.yaml:2:27 expression-syntax unexpected end of the expression, expected a name" + note,
        "shared.yaml:3:1 unknown-key an included file has no key 'template' (did you mean 'templates'?)" + note,
        "shared.yaml:4:1 misplaced-key 'operations' is not allowed in an included file (run the file with 'pipeline: FILE', or move the shared parts into a separate file)"
          + note,
        "shared.yaml:6:22 unknown-key a template has no key 'shel' (did you mean 'shell'?)" + note,
        "shared.yaml:7:14 unknown-key a template has no key 'comand' (did you mean 'command'?)" + note,
        "shared.yaml:8:12 misplaced-key 'name' belongs to the operations that extend the template (leave it out)"
          + note,
        "shared.yaml:9:3 several-actions the template 'several' has both 'run' and 'command' (make them two templates)"
          + note,
        "shared.yaml:10:9 wrong-form the template 'none' needs a mapping, found '1'" + note,
        "shared.yaml:11:3 invalid-name 'bad/name' cannot be a template's name: it may contain letters, digits, '_' and '-', the first a letter or '_'"
          + note,
      ])
  }

  @Test("errors in the use of a template are reported where they are written, with a note for the other place")
  func uses() {
    let (found, _, _) = load([
      "main.yaml": """
      include: shared.yaml
      operations:
        - name: a
          extends: list
          shell: bash
        - { name: b, extends: list, run: ls }
        - { name: c, extends: needy, timeut: 1s }
        - { name: d, extends: get }
        - { name: e, extends: lst }
        - { name: f, extends: [list, get] }
        - { name: g, extends: needy, for_each: [1], command: ["${{ item.x }}"] }
        - { extends: list }
      """,
      "shared.yaml": """
      templates:
        list: { command: [ls] }
        needy: { value: "${{ results.fetch }}" }
        get: { http: { headers: { A: "1" } } }
      """,
    ])
    #expect(
      found == [
        "main.yaml:5:5 misplaced-key 'shell' has no effect on 'command' – shared.yaml:2:3 the template 'list' is here",
        "main.yaml:6:31 several-actions operation 'b' has both 'command', of the template, and 'run' (keep the template's, or let the operation extend another one) – shared.yaml:2:3 the template 'list' is here",
        "main.yaml:7:32 unknown-key an operation has no key 'timeut' (did you mean 'timeout'?)",
        "main.yaml:9:25 unknown-template there is no template 'lst' (did you mean 'list'?)",
        "main.yaml:10:25 wrong-form 'extends' needs the name of one template, found a list (let one of the templates extend the other)",
        "main.yaml:11:47 several-actions operation 'g' has both 'value', of the template, and 'command' (keep the template's, or let the operation extend another one) – shared.yaml:3:3 the template 'needy' is here",
        "main.yaml:12:5 missing-key an operation needs a 'name' – shared.yaml:2:3 the template 'list' is here",
        "shared.yaml:3:24 unknown-operation there is no operation 'fetch' – main.yaml:7:25 the operation 'c' extends 'needy' here",
        "shared.yaml:4:18 missing-key 'http' needs a 'url' – main.yaml:8:25 the operation 'd' extends 'get' here",
      ])
  }

  @Test("'extends' with an unknown template lists the existing ones")
  func unknownTemplate() {
    let (found, _, _) = load([
      "main.yaml": """
      include: shared.yaml
      operations: [{ name: a, extends: fetch }]
      """, "shared.yaml": "templates: { fetcher: { run: x }, list: { run: y } }",
    ])
    #expect(
      found == [
        "main.yaml:2:34 unknown-template there is no template 'fetch' (there are 'fetcher', 'list')"
      ])
  }

  @Test("'extends' without any templates says where to declare one")
  func noTemplates() {
    #expect(
      findings(inOperation: "extends: build") == [
        "3:14 unknown-template there is no template 'build' (declare it under 'templates' at the top, or include the file that has it)"
      ])
  }

  @Test("cycles show their chain")
  func cycles() {
    let files = load([
      "main.yaml": "include: one.yaml\noperations: [{ name: a, value: 1 }]",
      "one.yaml": "include: [two.yaml]",
      "two.yaml": "include: [./one.yaml, main.yaml]",
    ])
    #expect(
      files.found == [
        "two.yaml:1:11 recursive-include the file includes itself: one.yaml → two.yaml → one.yaml – one.yaml:1:11 it is included here",
        "two.yaml:1:23 recursive-include the file includes itself: main.yaml → one.yaml → two.yaml → main.yaml – one.yaml:1:11 it is included here",
      ])
    let templates = load([
      "main.yaml": """
      templates: { a: { extends: b }, b: { extends: c }, c: { extends: b } }
      operations: [{ name: x, extends: a, value: 1 }]
      """
    ])
    #expect(
      templates.found == ["main.yaml:1:66 recursive-template the template extends itself: b → c → b"])
  }

  @Test("invalid include paths are rejected")
  func paths() {
    let (found, _, _) = load([
      "main.yaml": """
      include: [absent.yaml, "https://example.org/x.yaml", { local: x.yaml }, "", "${{ params.x }}", /]
      operations: [{ name: a, value: 1 }]
      """
    ])
    #expect(
      found.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == [
        "main.yaml:1:11 file-not-found", "main.yaml:1:24 wrong-form", "main.yaml:1:54 wrong-form",
        "main.yaml:1:73 wrong-form", "main.yaml:1:78 expression-not-allowed", "main.yaml:1:96 file-unreadable",
      ])
    #expect(found[1].contains("never uses the network"))
  }

  @Test("the number of nodes taken from templates is limited")
  func bound() {
    let list = Array(repeating: "0", count: 50_000).joined(separator: ", ")
    let operations = (1...21).map { "  - { name: o\($0), extends: big }\n" }.joined()
    let (found, _, _) = load(["main.yaml": "templates: { big: { value: [\(list)] } }\noperations:\n\(operations)"])
    #expect(found.count == 1)
    #expect(found.first?.contains("include-limit") == true)
  }

  @Test("the limit does not depend on the order of the templates", arguments: [19, 20, 40], [false, true])
  func depth(uses: Int, isBaseFirst: Bool) {
    var templates = ["t0: { run: ls }"] + (1...uses).map { "t\($0): { extends: t\($0 - 1) }" }
    if !isBaseFirst { templates.reverse() }
    let text = "templates: { \(templates.joined(separator: ", ")) }\noperations: [{ name: a, extends: t\(uses) }]"
    let found = load(["main.yaml": text]).found
    #expect(found.isEmpty == (uses < 20))
    #expect(found.allSatisfy { $0.contains(" include-limit more than 20 templates extend one another") })
  }

  @Test("the depth of templates is limited, and a hostile number of them is handled quickly")
  func hostile() {
    let chain = (0..<5_000).map { "t\($0): { extends: t\($0 + 1) }" }.joined(separator: ", ")
    let deep = load(["main.yaml": "templates: { \(chain), t5000: { run: ls } }\noperations: [{ name: a, extends: t0 }]"]
    )
    #expect(deep.found.count > 0)
    #expect(deep.found.allSatisfy { $0.contains(" include-limit more than 20 templates extend one another") })
    let variables = (0..<2_000).map { "V\($0): x" }.joined(separator: ", ")
    let users = (0..<2_000).map { "u\($0): { extends: base, env: { A: \"1\" } }" }.joined(separator: ", ")
    let wide = load([
      "main.yaml":
        "templates: { base: { run: ls, env: { \(variables) } }, \(users) }\noperations: [{ name: a, extends: base }]"
    ])
    #expect(wide.found.count == 1)
    #expect(wide.found.first?.contains(" include-limit ") == true)
  }

  @Test("a template may name files of variables, whose paths start from the pipeline's directory")
  func settingFiles() throws {
    let (found, pipeline, _) = load([
      "main.yaml": """
      include: parts/shared.yaml
      operations:
        - { name: a, extends: t }
        - { name: b, extends: t, env: { A: own } }
      """,
      "parts/shared.yaml": "templates: { t: { env_file: own.env, run: ls } }",
      "own.env": "A=file\nB=file\n",
    ])
    #expect(found == [])
    #expect(
      pipeline?.operations.map { $0.environment.map { "\($0.name)=\($0.value.text)" }.sorted() } == [
        ["A=file", "B=file"], ["A=own", "B=file"],
      ])
  }

  @Test("a file to include is not a pipeline, and is checked by itself")
  func alone() {
    let sound = load([
      "main.yaml": "templates: { t: { run_when: of-the-pipeline, command: [ls, \"${{ results.x }}\"] } }\nx-own: 1"
    ])
    #expect(sound.result.templateCount == 1)
    #expect(sound.result.ownDiagnostics == [])
    #expect(sound.found.map { $0.contains("not-a-pipeline") } == [true])
    let unsound = load(["main.yaml": "defaults: { timeout: x }\ntemplates: { t: { rum: ls } }"])
    #expect(unsound.result.ownDiagnostics.map(\.code) == ["invalid-duration", "unknown-key"])
    let pipeline = load(["main.yaml": "name: x\ntemplates: { t: { run: ls } }"])
    #expect(pipeline.result.templateCount == nil)
    #expect(pipeline.found == ["main.yaml:1:1 missing-key a pipeline needs 'operations'"])
  }

  @Test("a change in an included file is a change of the operations it affects")
  func changes() throws {
    let main = """
      include: shared.yaml
      operations: [{ name: a, extends: t }, { name: b, extends: u }, { name: c, value: 1 }]
      """
    let now = try #require(
      load(["main.yaml": main, "shared.yaml": "templates: { t: { run: new }, u: { run: u, timeout: 1s } }"]).pipeline)
    let comparison = try #require(
      DefinitionComparison(
        of: now, with: main, path: "/p/main.yaml",
        nested: ["/p/shared.yaml": "templates: { t: { run: old }, u: { run: u } }"]))
    #expect(comparison.changes(at: 0) == [.definition])
    #expect(comparison.changes(at: 1) == [])
    #expect(comparison.changes(at: 2) == [])
  }

  @Test("an operation has the same hash with or without a template")
  func hashes() throws {
    let extended = load([
      "main.yaml": """
      templates: { t: { run: ls } }
      operations: [{ name: a, stale_after: 1h, extends: t }]
      """
    ])
    let own = try pipeline("operations: [{ name: a, stale_after: 1h, run: ls }]")
    #expect(extended.pipeline?.operations[0].contentHash == own.operations[0].contentHash)
    let other = load([
      "main.yaml": """
      templates: { t: { run: ls -l } }
      operations: [{ name: a, stale_after: 1h, extends: t }]
      """
    ])
    #expect(other.pipeline?.operations[0].contentHash != own.operations[0].contentHash)
  }

  @Test("a pipeline whose included file has errors is still checked, as far as possible, by pipelines that run it")
  func nested() {
    let (found, _, _) = load([
      "main.yaml": "operations: [{ name: a, pipeline: child.yaml, params: { x: 1 } }]",
      "child.yaml": "include: shared.yaml\noperations: [{ name: b, extends: t }]",
      "shared.yaml": "templates: { t: { rum: ls } }",
    ])
    #expect(
      found == [
        "shared.yaml:1:19 unknown-key a template has no key 'rum' (did you mean 'run'?) – child.yaml:1:10 it is included here"
      ])
  }
}

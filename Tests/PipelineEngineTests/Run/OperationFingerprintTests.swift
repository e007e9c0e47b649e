import Foundation
import HTTPOperations
import PluginHost
import Testing
import Values

@testable import Expressions
@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

extension RunEngine {
  /// Returns the fingerprint of the operation called `name`, given the result of the one called `seed` and the run's secrets.
  fileprivate func fingerprint(of name: String, seed: JSONValue, secrets: [String: String]) async throws -> String {
    if let seeded = run.state.position(of: "seed") { run.state.instances[seeded].latest.result = .value(seed) }
    run.state.given.secrets = secrets
    for (name, template) in run.state.pipeline.environment {
      run.state.given.environment.append((name, try template.evaluate(in: RunContexts(run: run.state)).injectedText))
    }
    let ordinal = try #require(run.state.position(of: name))
    let isLoop = run.state.instances[ordinal].node.definition.loop != nil
    let instance = isLoop ? run.state.addItem(of: ordinal, index: 0, value: seed) : ordinal
    return try await OperationFingerprint(run: run, ordinal: instance).digest()
  }
}

/// For every input of every action, a different value prevents the reuse of a success.
@Suite("The fingerprint of an operation") struct FingerprintTests {
  /// The same pipeline twice, with one input changed.
  struct Row: Sendable, CustomTestStringConvertible {
    var input: String
    /// The files of a directory, including `main.yaml`, before and after.
    var files: [[String: String]]
    var seeds: [JSONValue] = ["a", "a"]
    var parameters: [[String: JSONValue]] = [[:], [:]]
    var secrets: [[String: String]] = [[:], [:]]
    var hashes = ["0", "0"]
    var testDescription: String { input }

    /// The operation `x` with a value that comes from another operation's result, and is neither a param nor written in the file.
    static func seeded(_ input: String, _ operation: String, files: [String: String] = [:]) -> Row {
      let text = """
        params: { unused: { default: 1 } }
        operations:
          - { name: seed, value: "" }
          - { name: x, stale_after: 1h, \(operation.replacing("SEED", with: "${{ results.seed }}")) }
        """
      let all = files.merging(["main.yaml": text]) { $1 }
      return Row(input: input, files: [all, all], seeds: ["a", "b"])
    }

    /// Two texts of `main.yaml`.
    static func written(_ input: String, _ before: String, _ after: String, files: [String: String] = [:]) -> Row {
      Row(
        input: input, files: [before, after].map { text in files.merging(["main.yaml": text]) { $1 } })
    }

    /// Two texts of the operation `x`.
    static func operation(_ input: String, _ before: String, _ after: String) -> Row {
      written(
        input, "operations: [{ name: x, stale_after: 1h, \(before) }]",
        "operations: [{ name: x, stale_after: 1h, \(after) }]")
    }
  }

  static let process = ["run": "run: cat", "command": "command: [cat]"].sorted { $0.key < $1.key }.flatMap {
    key, action in
    [
      Row.seeded("\(key): stdin", "\(action), stdin: \"SEED\""),
      Row.seeded("\(key): automatic inject", "\(action), inject: \"SEED\""),
      Row.seeded("\(key): named inject", "\(action), inject: { a: \"SEED\" }"),
      Row.seeded("\(key): env", "\(action), env: { A: \"SEED\" }"),
      Row.seeded("\(key): directory", "\(action), directory: \"SEED\""),
      Row.seeded("\(key): artifacts", "\(action), artifacts: { a: \"x-SEED\" }"),
      Row.seeded("\(key): item", "\(action), for_each: [1]"),
      Row.operation("\(key): result", "\(action), result: string", "\(action), result: json"),
      Row.operation("\(key): name of a variable", "\(action), env: { A: x }", "\(action), env: { B: x }"),
      Row.operation("\(key): name of an injection", "\(action), inject: { A: x }", "\(action), inject: { B: x }"),
      Row.written(
        "\(key): pipeline's env", "env: { A: x }\noperations: [{ name: x, stale_after: 1h, \(action) }]",
        "env: { A: y }\noperations: [{ name: x, stale_after: 1h, \(action) }]"),
      Row.written(
        "\(key): default env", "defaults: { env: { A: x } }\noperations: [{ name: x, stale_after: 1h, \(action) }]",
        "defaults: { env: { A: y } }\noperations: [{ name: x, stale_after: 1h, \(action) }]"),
      Row.written(
        "\(key): default directory",
        "defaults: { directory: x }\noperations: [{ name: x, stale_after: 1h, \(action) }]",
        "defaults: { directory: y }\noperations: [{ name: x, stale_after: 1h, \(action) }]"),
      Row.written(
        "\(key): a param or a variable",
        "params: { A: { default: x } }\noperations: [{ name: x, stale_after: 1h, \(action) }]",
        "env: { A: '\"x\"' }\noperations: [{ name: x, stale_after: 1h, \(action) }]"),
    ]
  }

  static let others: [Row] = [
    .operation("script", "run: cat", "run: tac"),
    .operation("script's shell", "run: cat, shell: bash", "run: cat, shell: dash"),
    .written(
      "default shell", "defaults: { shell: bash }\noperations: [{ name: x, stale_after: 1h, run: cat }]",
      "defaults: { shell: dash }\noperations: [{ name: x, stale_after: 1h, run: cat }]"),
    .written(
      "script behind an alias", "operations: [{ name: y, run: &s cat }, { name: x, stale_after: 1h, run: *s }]",
      "operations: [{ name: y, run: &s tac }, { name: x, stale_after: 1h, run: *s }]"),
    .written(
      "quotes", "operations: [{ name: x, stale_after: 1h, value: 1 }]",
      "operations: [{ name: x, stale_after: 1h, value: '1' }]"),
    .seeded("argument", "command: [echo, \"SEED\"]"),
    .operation("number of arguments", "command: [echo, ab]", "command: [echo, a, b]"),
    .seeded("value", "value: \"SEED\""),
    .seeded("value inside data", "value: { a: [\"SEED\"] }"),
    .seeded("matrix", "value: 1, matrix: { a: [1] }"),
    .seeded("http: url", "http: { url: \"http://h/SEED\" }"),
    .seeded("http: query", "http: { url: http://h/, query: { a: \"SEED\" } }"),
    .seeded("http: headers", "http: { url: http://h/, headers: { A: \"SEED\" } }"),
    .seeded("http: body", "http: { url: http://h/, body: \"SEED\" }"),
    .seeded("http: json", "http: { url: http://h/, json: { a: \"SEED\" } }"),
    .seeded("http: form", "http: { url: http://h/, form: { a: \"SEED\" } }"),
    .seeded("http: form's file", "http: { url: http://h/, form: { a: { file: \"SEED\" } } }"),
    .seeded("http: file", "http: { url: http://h/, file: \"SEED\" }"),
    .seeded("http: user", "http: { url: http://h/, auth: { basic: { user: \"SEED\" } } }"),
    .seeded("http: password", "http: { url: http://h/, auth: { basic: { user: u, password: \"SEED\" } } }"),
    .seeded("http: bearer", "http: { url: http://h/, auth: { bearer: \"SEED\" } }"),
    .seeded("http: netrc", "http: { url: http://h/, auth: { netrc: \"SEED\" } }"),
    .seeded("http: save_to", "http: { url: http://h/, save_to: \"SEED\" }"),
    .seeded("http: checksum", "http: { url: http://h/, save_to: x, checksum: \"SEED\" }"),
    .seeded("http: proxy", "http: { url: http://h/, proxy: \"SEED\" }"),
    .operation("http: method", "http: { url: http://h/ }", "http: { url: http://h/, method: PUT }"),
    .operation(
      "http: expect", "http: { url: http://h/, expect: { status: 200 } }",
      "http: { url: http://h/, expect: { status: 201 } }"),
    .operation(
      "http: expected type", "http: { url: http://h/, expect: { type: text/plain } }",
      "http: { url: http://h/, expect: { type: text/html } }"),
    .operation(
      "http: if_exists", "http: { url: http://h/, save_to: { path: x, if_exists: fail } }",
      "http: { url: http://h/, save_to: { path: x, if_exists: number } }"),
    .operation("http: redirects", "http: { url: http://h/, redirects: 1 }", "http: { url: http://h/, redirects: 2 }"),
    Row(
      input: "http: content of the file",
      files: ["x", "yy"].map { content in
        ["main.yaml": "operations: [{ name: x, stale_after: 1h, http: { url: http://h/, file: f } }]", "f": content]
      }),
    Row(
      input: "http: content of a form's file",
      files: ["x", "yy"].map { content in
        [
          "main.yaml": "operations: [{ name: x, stale_after: 1h, http: { url: http://h/, form: { a: { file: f } } } }]",
          "f": content,
        ]
      }),
    Row(
      input: "http: content of the netrc file",
      files: ["x", "yy"].map { content in
        [
          "main.yaml": "operations: [{ name: x, stale_after: 1h, http: { url: http://h/, auth: { netrc: f } } }]",
          "f": content,
        ]
      }),
    .seeded("uses: with", "uses: echo, with: { text: \"SEED\" }"),
    .seeded("uses: inject", "uses: echo, inject: \"SEED\""),
    Row(
      input: "uses: code of the plugin",
      files: Array(repeating: ["main.yaml": "operations: [{ name: x, stale_after: 1h, uses: echo }]"], count: 2),
      hashes: ["0", "1"]),
    Row(
      input: "uses: secret of the plugin",
      files: Array(
        repeating: [
          "main.yaml":
            "secrets: { token: { env: TOKEN } }\nplugins: { echo: { secrets: [token] } }\noperations: [{ name: x, stale_after: 1h, uses: echo }]"
        ], count: 2), secrets: [["token": "a"], ["token": "b"]]),
    Row(
      input: "secret in env",
      files: Array(
        repeating: [
          "main.yaml":
            "secrets: { token: { env: TOKEN } }\noperations: [{ name: x, stale_after: 1h, run: cat, env: { T: \"${{ secrets.token }}\" } }]"
        ], count: 2), secrets: [["token": "a"], ["token": "b"]]),
    .seeded(
      "pipeline: params", "pipeline: { file: inner.yaml, params: { a: \"SEED\" } }",
      files: ["inner.yaml": "params: { a: string }\noperations: [{ name: y, value: 1 }]"]),
    Row(
      input: "pipeline: content of the file",
      files: [1, 2].map { content in
        [
          "main.yaml": "operations: [{ name: x, stale_after: 1h, pipeline: inner.yaml }]",
          "inner.yaml": "operations: [{ name: y, value: \(content) }]",
        ]
      }),
    Row(
      input: "pipeline: content of a file that it runs",
      files: [1, 2].map { content in
        [
          "main.yaml": "operations: [{ name: x, stale_after: 1h, pipeline: inner.yaml }]",
          "inner.yaml": "operations: [{ name: y, pipeline: most.yaml }]",
          "most.yaml": "operations: [{ name: y, value: \(content) }]",
        ]
      }),
    Row(
      input: "pipeline: code of a plugin that it uses",
      files: Array(
        repeating: [
          "main.yaml": "operations: [{ name: x, stale_after: 1h, pipeline: inner.yaml }]",
          "inner.yaml": "operations: [{ name: y, pipeline: most.yaml }]",
          "most.yaml": "operations: [{ name: y, uses: echo }]",
        ], count: 2), hashes: ["0", "1"]),
    Row(
      input: "params",
      files: Array(
        repeating: ["main.yaml": "params: { p: string }\noperations: [{ name: x, stale_after: 1h, run: cat }]"],
        count: 2),
      parameters: [["p": "a"], ["p": "b"]]),
  ]

  private func fingerprints(_ row: Row, sharing directory: String? = nil) async throws -> [String] {
    let home = directory ?? NSTemporaryDirectory() + "penstock-fingerprint-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    var found: [String] = []
    for place in 0..<2 {
      for (name, text) in row.files[place] {
        try text.write(toFile: "\(home)/\(name)", atomically: true, encoding: .utf8)
      }
      let offer: JSONValue = [
        "kind": "operation", "id": "echo", "requirement": "json",
        "settings": [["name": "text", "type": "string", "summary": "x", "default": "none"]],
      ]
      let plugin = try FakePlugin("echo", offers: [offer], hash: row.hashes[place])
      let host = try EngineTestHost(plugins: .catalog(FakeCatalog([plugin])))
      let loaded = PipelineLoader.load(path: "\(home)/main.yaml", plugins: host.services.plugins.source)
      let pipeline = try #require(
        loaded.pipeline, Comment(rawValue: loaded.diagnostics.map(shown).joined(separator: "\n")))
      var options = RunOptions()
      options.parameters = try ParameterResolver.resolve(
        pipeline, values: row.parameters[place].map { ($0.key, $0.value) })
      let engine = RunEngine(
        services: host.services, pipeline: pipeline, RunBrief(id: .generate(), options: options))
      let (seed, secrets) = (row.seeds[place], row.secrets[place])
      found.append(
        try await Task(executorPreference: host.loop) {
          try await engine.fingerprint(of: "x", seed: seed, secrets: secrets)
        }.value)
      await host.close()
    }
    return found
  }

  @Test("changes with each input of an operation", arguments: process + others)
  func changes(_ row: Row) async throws {
    let found = try await fingerprints(row)
    #expect(found[0] != found[1])
  }

  @Test("is the same for the same inputs, whatever surrounds the operation")
  func repeats() async throws {
    let row = Row.written(
      "nothing", "operations: [{ name: x, stale_after: 1h, run: cat }]",
      "# said elsewhere\nname: main\noperations:\n  - { name: y, run: ls }\n  - name: x   # the same\n    stale_after: 1h\n    run: cat\n"
    )
    let found = try await fingerprints(row)
    #expect(found[0] == found[1])
  }

  @Test("differs for a file of the same name in another directory")
  func directories() async throws {
    let text = "operations: [{ name: x, stale_after: 1h, run: cat }]"
    let first = try await fingerprints(.written("directory", text, text))
    let second = try await fingerprints(.written("directory", text, text))
    #expect(first[0] == first[1] && first[0] != second[0])
  }

  // The following tests fail when there is a new property: if it is an input, it needs a row above.

  @Test("covers all properties of an operation")
  func properties() throws {
    let operation = OperationDefinition(
      name: "x", index: 0, action: .value(.literal(.null)), range: .beginning)
    let inputs: Set = [
      "action", "injection", "loop", "environment", "directory", "shell", "stdin", "artifacts", "contentHash",
    ]
    // Properties that determine whether, when, where, how often and beside what it runs, and derived positions and types. If specified, they are part of
    // `contentHash`.
    let others: Set = [
      "name", "description", "index", "dependencies", "requires", "result", "condition", "gate", "retry", "repetition",
      "timeout", "grace", "allowFailure", "exclusive", "resources", "staleAfter", "staleWhen", "receivesSecret",
      "requiredResults", "range", "extent", "shownPlaces", "executor",
    ]
    #expect(Set(Mirror(reflecting: operation).children.compactMap(\.label)) == inputs.union(others))
  }

  @Test("covers all properties of a request")
  func requestProperties() {
    let templates: Set = [
      "url", "query", "headers", "body", "authorization", "signature", "saveTo", "checksum", "proxy",
    ]
    // Literals in the file, and therefore part of `contentHash`.
    let literals: Set = ["method", "statuses", "types", "collision", "options", "retriesAnything", "early"]
    #expect(Set(Mirror(reflecting: HTTPAction()).children.compactMap(\.label)) == templates.union(literals))
  }

  @Test("covers all properties of the use of a plugin")
  func pluginProperties() {
    #expect(Set(Mirror(reflecting: PluginUse(offer: "x")).children.compactMap(\.label)) == ["offer", "settings"])
  }
}

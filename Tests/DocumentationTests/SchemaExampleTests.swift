import Foundation
import PipelineLanguage
import Subprocess
import Testing
import Values

/// An independent validator for JSON Schema: PyPI's `jsonschema`, which `make test` installs in `.build`.
enum SchemaValidator {
  static let python = Documents.root.appendingPathComponent(".build/schema-validator/bin/python").path

  /// The validator may be missing on a developer's computer, but not in CI.
  static var isWanted: Bool {
    FileManager.default.isExecutableFile(atPath: python) || ProcessInfo.processInfo.environment["CI"] != nil
  }

  /// Reads `{"schema": …, "documents": {name: document}}`, and prints a line for each invalid document, then `checked N`.
  private static let script = """
    import json, sys
    from jsonschema import Draft202012Validator
    given = json.load(sys.stdin)
    Draft202012Validator.check_schema(given["schema"])
    validator = Draft202012Validator(given["schema"])
    for name, document in given["documents"].items():
        for error in validator.iter_errors(document):
            print(f"{name}: {error.json_path}: {error.message[:300]}")
    print("checked", len(given["documents"]))
    """

  static func validate(_ documents: [(name: String, text: String)], against schema: JSONValue) async throws -> String {
    var members: [(String, JSONValue)] = []
    for document in documents {
      let (root, _) = YAMLReader.read(SourceText(path: document.name, text: document.text))
      members.append((document.name, try #require(root, "\(document.name) is not YAML").jsonValue()))
    }
    let given = JSONValue.object([
      "schema": schema, "documents": .object(.init(uniqueKeysWithValues: members)),
    ])
    let outcome = try await Subprocess.run(
      .path(.init(python)), arguments: ["-c", script], input: .string(given.text), output: .string(limit: 1 << 20),
      error: .combinedWithOutput)
    return outcome.standardOutput
  }
}

@Suite("The JSON Schema", .enabled(if: SchemaValidator.isWanted, "`make test` installs the validator"))
struct SchemaExampleTests {
  /// Returns the schema printed by the tool.
  private func schema() async throws -> JSONValue {
    let tool = try Tool()
    defer { tool.remove() }
    let outcome = try await tool.shell("penstock schema")
    #expect(outcome.status.isSuccess)
    return try JSONValue.parse(outcome.output)
  }

  @Test("accepts every example")
  func examples() async throws {
    var documents: [(name: String, text: String)] = []
    for path in Documents.files { documents.append((path, try Documents.text(path))) }
    for example in Documents.pipelines { documents.append((example.testDescription, example.text)) }
    let answer = try await SchemaValidator.validate(documents, against: schema())
    #expect(answer == "checked \(documents.count)\n")
  }

  @Test("accepts a scalar that is not a string as its text, where the loader does")
  func scalars() async throws {
    let values = ["true", "5", "1.5", "-1", "0x10", "text", "'true'"]
    var documents = values.flatMap { value in
      [
        ("run \(value)", "operations: [{ name: a, run: \(value) }]"),
        ("text \(value)", "description: \(value)\noperations: [{ name: a, command: [\(value)], stdin: \(value) }]"),
      ]
    }
    for key in ["http_version: 2", "http_version: 1.1", "tls: { minimum: 1.2 }"] {
      documents.append((key, "operations: [{ name: a, http: { url: \"https://example.org\", \(key) } }]"))
    }
    for (name, text) in documents { #expect(PipelineLoader.load(text: text, path: name).isValid, "\(name)") }
    let answer = try await SchemaValidator.validate(
      documents.map { (name: $0.0, text: $0.1) }, against: PipelineSchema.jsonSchema())
    #expect(answer == "checked \(documents.count)\n")
  }

  @Test("accepts what the loader merges with a template, and rejects what it cannot merge")
  func templates() async throws {
    let sound = [
      (
        "partial",
        "templates: { t: { http: { headers: { A: b } } } }\noperations: [{ name: a, extends: t, http: { url: \"http://x.org/\" } }]"
      ),
      (
        "handler",
        "templates: { t: { value: 1 } }\noperations: [{ name: a, extends: t }]\nafter: { always: [{ name: b, extends: t }] }"
      ),
    ]
    let unsound = [
      ("named", "templates: { t: { name: t, value: 1 } }\noperations: [{ name: a, extends: t }]"),
      ("nameless", "templates: { t: { value: 1 } }\noperations: [{ extends: t }]"),
      ("misspelt", "templates: { t: { vlaue: 1 } }\noperations: [{ name: a, value: 1 }]"),
      ("override", "templates: { t: { value: 1 } }\noperations: [{ name: a, extends: t, tiemout: 1s }]"),
    ]
    for (name, text) in sound { #expect(PipelineLoader.load(text: text, path: name).isValid, "\(name)") }
    for (name, text) in unsound { #expect(!PipelineLoader.load(text: text, path: name).isValid, "\(name)") }
    let answer = try await SchemaValidator.validate(
      (sound + unsound).map { (name: $0.0, text: $0.1) }, against: PipelineSchema.jsonSchema())
    for (name, _) in sound { #expect(!answer.contains("\(name): $"), "\(answer)") }
    for (name, _) in unsound { #expect(answer.contains("\(name): $"), "\(name)") }
  }

  @Test("of files to include accepts every example of one, and no pipeline")
  func shared() async throws {
    let tool = try Tool()
    defer { tool.remove() }
    let outcome = try await tool.shell("penstock schema --included")
    let documents = Documents.shared.map { (name: $0.testDescription, text: $0.text) }
    let pipeline = (name: "pipeline", text: "operations: [{ name: a, run: echo }]")
    let answer = try await SchemaValidator.validate(
      documents + [pipeline], against: try JSONValue.parse(outcome.output))
    #expect(!documents.isEmpty)
    #expect(answer.split(separator: "\n").allSatisfy { $0.hasPrefix("pipeline: $") || $0.hasPrefix("checked") })
    #expect(answer.contains("pipeline: $"))
  }

  @Test("of a host's file accepts every example of one, and rejects what its loader rejects")
  func hosts() async throws {
    let tool = try Tool()
    defer { tool.remove() }
    let outcome = try await tool.shell("penstock schema --host")
    let sound = Documents.hosts.map { (name: $0.testDescription, text: $0.text) }
    let unsound = [
      ("misspelt", "pipeline: [a]"), ("empty list", "pipelines: []"), ("no limit", "limits: { runs: 0 }"),
      ("number", "queues: { heavy: 1 }"), ("name", "queues: { 1st: {} }"), ("word", "on_restart: stop"),
      ("variable", "environment: { pass: [a-b] }"), ("duration", "drain: soon"), ("capacity", "resources: { gpu: 0 }"),
    ]
    for (name, text) in unsound { #expect(!HostDefinition.load(text: text, path: name).isValid, "\(name)") }
    let answer = try await SchemaValidator.validate(
      sound + unsound.map { (name: $0.0, text: $0.1) }, against: try JSONValue.parse(outcome.output))
    #expect(!sound.isEmpty)
    for (name, _) in sound { #expect(!answer.contains("\(name): $"), "\(answer)") }
    for (name, _) in unsound { #expect(answer.contains("\(name): $"), "\(name)") }
  }

  @Test("rejects what is not a pipeline")
  func mistakes() async throws {
    let answer = try await SchemaValidator.validate(
      [
        ("misspelt", "operatoins: [{ name: a, run: true }]"),
        ("two actions", "operations: [{ name: a, run: echo, value: 1 }]"),
        ("wrong type", "operations: [{ name: a, run: echo, retry: often }]"),
      ], against: schema())
    for name in ["misspelt", "two actions", "wrong type"] { #expect(answer.contains("\(name): $")) }
  }

  @Test("rejects the names of matrix lists that the loader rejects, and no others")
  func matrixNames() async throws {
    let names = ["include", "exclude", "Include", "EXCLUDE", "includes", "preexclude", "in", "cpu"]
    let documents = names.map { name in
      (name: name, text: "operations: [{ name: a, run: echo, matrix: { os: [1], \(name): [{ os: 1 }] } }]")
    }
    let answer = try await SchemaValidator.validate(documents, against: PipelineSchema.jsonSchema())
    for (name, text) in documents {
      #expect(PipelineLoader.load(text: text, path: name).isValid != answer.contains("\(name): $"), "\(name)")
    }
  }
}

import Testing

@testable import PipelineEngine
@testable import PipelineLanguage

@Suite("Kinds of actions")
struct ActionKindTests {
  /// An action of each kind, with an expression wherever one is possible.
  private static let actions: [(keyword: String, text: String, arrivals: [String])] = [
    ("run", "run: echo", []),
    ("command", #"command: [echo, "${{ results.b }}"]"#, ["argument 1"]),
    ("http", #"http: { url: "${{ results.b }}", headers: { A: "${{ results.b }}" } }"#, ["url", "header A"]),
    ("value", #"value: "${{ results.b }}""#, ["its value"]),
    ("wait", #"wait: "${{ results.b }}""#, ["its value"]),
    ("approve", #"approve: "${{ results.b }}""#, ["its value"]),
  ]

  private func definition(_ text: String) throws -> OperationDefinition {
    let loaded = PipelineLoader.load(
      text: "operations: [{ name: b, result: string, value: 5s }, { name: a, \(text) }]", path: "/p/a.yaml")
    return try #require(loaded.pipeline?.operations.last)
  }

  @Test("identify themselves, and list everything with an expression", arguments: actions)
  func templates(_ action: (keyword: String, text: String, arrivals: [String])) throws {
    let definition = try definition(action.text)
    #expect(definition.actionKind == action.keyword)
    var arrivals: [String] = []
    definition.action.kind.forEachTemplate { arrival, template in
      if !template.isLiteral { arrivals.append(arrival.text) }
    }
    #expect(arrivals == action.arrivals)
    #expect(definition.inputs.map(\.arrival.text) == action.arrivals)
    #expect(definition.action.kind.isLiteral == arrivals.isEmpty)
  }

  @Test("are the same for the language and for the engine", arguments: actions)
  func same(_ action: (keyword: String, text: String, arrivals: [String])) throws {
    let action = try definition(action.text).action
    #expect(type(of: action.runnable) == type(of: action.kind))
  }

  @Test("have fingerprints that depend on every expression in them", arguments: actions)
  func fingerprints(_ action: (keyword: String, text: String, arrivals: [String])) async throws {
    let host = try EngineTestHost()
    let engine = try host.engine(
      "operations: [{ name: b, result: string, value: 5s }, { name: a, \(action.text) }]")
    var digests: Set<String> = []
    for value in ["5s", "6s"] { digests.insert(try await engine.fingerprint(of: 1, with: value)) }
    #expect(digests.count == (action.arrivals.isEmpty ? 1 : 2))
    await host.close()
  }
}

extension RunEngine {
  /// Returns the fingerprint of an operation if the result of the first one is `value`.
  fileprivate func fingerprint(of ordinal: Int, with value: String) async throws -> String {
    run.state.instances[0].latest.result = .value(.string(value))
    return try await OperationFingerprint(run: run, ordinal: ordinal).digest()
  }
}

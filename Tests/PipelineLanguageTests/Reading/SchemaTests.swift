import Testing
import Values

@testable import PipelineLanguage

@Suite("The JSON Schema")
struct SchemaTests {
  @Test("has every available key with a description, and no other")
  func keys() throws {
    let schema = PipelineSchema.jsonSchema()
    #expect(schema["$schema"]?.stringValue == "https://json-schema.org/draft/2020-12/schema")
    #expect(schema["additionalProperties"] == false)
    let top = try #require(schema["properties"]?.objectValue)
    #expect(Array(top.keys) == PipelineKey.table.availableKeys)
    let operation = try #require(schema["$defs"]?["operation"]?["properties"]?.objectValue)
    #expect(Array(operation.keys) == OperationKey.table.availableKeys)
    #expect(operation.values.allSatisfy { $0["description"]?.stringValue?.isEmpty == false })
    // All other mappings with keys, wherever they occur.
    let known = Set(LanguageReference.sections.map { $0.keys.map(\.name) })
    let found = Set(keySets(of: schema) + keySets(of: PipelineSchema.jsonSchema(isIncluded: true)))
    for keys in known { #expect(found.contains(keys), "\(keys)") }
  }

  /// Returns the property names of every object in a schema.
  private func keySets(of schema: JSONValue) -> [[String]] {
    switch schema {
    case .object(let members):
      let own = members["properties"]?.objectValue.map { [Array($0.keys)] } ?? []
      return own + members.values.flatMap { keySets(of: $0) }
    case .array(let elements): return elements.flatMap { keySets(of: $0) }
    default: return []
    }
  }

  @Test("requires exactly one action per operation")
  func actions() throws {
    let choices = try #require(PipelineSchema.jsonSchema()["$defs"]?["operation"]?["oneOf"]?.arrayValue)
    #expect(
      choices.compactMap { $0["required"]?[0]?.stringValue } == [
        "run", "command", "http", "notify", "uses", "value", "wait", "pipeline", "approve",
      ])
  }

  @Test(
    "accepts the same names as the loader", arguments: [("true", true), ("5", false), ("1.5", false), ("a", true)])
  func names(name: String, isName: Bool) throws {
    #expect(findings("name: \(name)\noperations: [{ name: \(name), value: 1 }]").isEmpty == isName)
    let schema = PipelineSchema.jsonSchema()
    let types: JSONValue = ["string", "boolean"]
    #expect(schema["properties"]?["name"]?["type"] == types)
    #expect(schema["$defs"]?["operation"]?["properties"]?["name"]?["type"] == types)
  }

  @Test("has a reference with a section for each kind of mapping, and no empty cell except for defaults")
  func reference() {
    #expect(LanguageReference.sections.map(\.owner).first == "a pipeline")
    #expect(LanguageReference.sections.allSatisfy { !$0.keys.isEmpty })
    #expect(LanguageReference.markdown().contains("| `stale_after` | duration"))
    #expect(LanguageReference.keysToCome.contains("rerun_on_change"))
  }
}

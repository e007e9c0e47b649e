import Foundation
import Testing
import Values

@testable import PipelineLanguage

@Suite("Files of params and variables") struct SettingFileTests {
  /// A directory with files, which is removed with the value.
  private final class Place {
    let path: String

    init(_ files: [String: String]) throws {
      path = NSTemporaryDirectory() + "penstock-settings-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (name, text) in files { try write(text, to: name) }
    }

    func write(_ text: String, to name: String) throws {
      try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    }

    func load(_ text: String) -> LoadResult { PipelineLoader.load(text: text, path: "\(path)/main.yaml") }

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private let operation = "operations: [{ name: x, run: make, env_file: own.env, env: { B: e, D: '${{ env.C }}' } }]\n"

  @Test("supply variables, with the nearest one taking precedence")
  func precedence() throws {
    let place = try Place(["all.env": "A=all\nB=all\nE=all\n", "own.env": "B=own\nC=own\n", "late.env": "A=late\n"])
    let result = place.load(
      "env_file: [all.env, late.env]\nenv: { E: e }\ndefaults: { env: { C: d, F: d } }\n" + operation)
    let pipeline = try #require(result.pipeline, "\(result.diagnostics.map(shown))")
    #expect(result.diagnostics == [])
    #expect(pipeline.environment.map { "\($0.name)=\($0.value.text)" } == ["B=all", "A=late", "E=e"])
    #expect(
      pipeline.operations[0].environment.map { "\($0.name)=\($0.value.text)" } == [
        "F=d", "C=own", "B=e", "D=${{ env.C }}",
      ])
    #expect(result.settingFiles == ["all.env", "late.env", "own.env"].map { "\(place.path)/\($0)" })
  }

  @Test("are recorded without the values of variables")
  func records() throws {
    let place = try Place(["own.env": "B=hidden\n", "p.yaml": "p: 2\n", "all.env": ""])
    let text = "params: { p: int }\nparams_file: p.yaml\nenv_file: all.env\n" + operation
    let pipeline = try #require(place.load(text.replacing(", D: '${{ env.C }}'", with: "")).pipeline)
    #expect(pipeline.parameters[0].defaultValue == 2)
    let recorded = pipeline.recordedTexts
    #expect(recorded.count == 3 && !recorded.values.contains { $0.contains("hidden") })
    #expect(recorded.values.contains("p: 2\n"))
    #expect(recorded.contains { $0.key.hasSuffix("own.env") && $0.value.wholeMatch(of: /B=[0-9a-f]{8}\n/) != nil })
  }

  @Test("show what has changed since a run")
  func comparison() throws {
    let place = try Place(["own.env": "A=1\n", "all.env": "T=1\nU=1\n"])
    let text = """
      env_file: all.env
      operations:
        - { name: own, command: [make], env_file: own.env }
        - { name: all, command: [make] }
        - { name: none, value: 1 }
        - { name: named, value: "${{ env.U }}" }
      """
    let former = try #require(place.load(text).pipeline)
    func changes() throws -> [[DefinitionComparison.Change]?]? {
      let pipeline = try #require(place.load(text).pipeline)
      let comparison = DefinitionComparison(
        of: pipeline, with: text, path: "\(place.path)/main.yaml", nested: former.recordedTexts)
      return comparison.map { comparison in (0..<4).map { comparison.changes(at: $0) } }
    }
    #expect(try changes() == nil)
    try place.write("A=2\n", to: "own.env")
    #expect(try changes() == [[.fileVariables(["A"], file: "own.env")], [], [], []])
    try place.write("A=1\n", to: "own.env")
    try place.write("T=2\nU=1\n", to: "all.env")
    let change = DefinitionComparison.Change.fileVariables(["T"], file: "all.env")
    #expect(try changes() == [[change], [change], [], []])
    let now = try #require(place.load(text).pipeline)
    #expect(now.changedVariables(since: former.recordedTexts).map { $0.hasSuffix("all.env") } == [true])
  }

  @Test("need not exist for a record that is only displayed")
  func display() throws {
    let text =
      "params: { p: int }\nparams_file: p.yaml\nenv_file: gone.env\noperations: [{ name: x, value: '${{ env.A }}' }]\n"
    let shown = PipelineLoader.load(text: text, path: "/nowhere/main.yaml", plugins: .unchecked, isRecorded: true)
    #expect(shown.pipeline != nil)
    let resumed = PipelineLoader.load(text: text, path: "/nowhere/main.yaml", isRecorded: true)
    #expect(resumed.pipeline == nil)
    #expect(
      resumed.diagnostics.filter { $0.severity == .error }.map(\.message) == ["there is no file '/nowhere/gone.env'"])
  }

  @Test("are named by a path, a mapping, or a list of these")
  func forms() throws {
    func found(_ value: String) -> [String] {
      findings("env_file: \(value)\noperations: [{ name: x, value: 1 }]\n")
    }
    #expect(found("{ path: gone.env, required: false }") == [])
    #expect(found("[{ path: gone.env, required: false }]") == [])
    #expect(found("[]") == ["1:11 wrong-form 'env_file' needs at least one file, found an empty list"])
    #expect(found("~") == ["1:11 wrong-form 'env_file' needs a path, or a mapping of 'path' and 'required', found '~'"])
    #expect(found("{ required: false }") == ["1:11 missing-key a file needs a 'path'"])
    #expect(
      found("{ path: gone.env, required: maybe }").first
        == "1:39 wrong-form 'required' needs true or false, found 'maybe'")
    #expect(
      found("{ path: gone.env, require: false }").contains(
        "1:29 unknown-key a file has no key 'require' (did you mean 'required'?)"))
    #expect(found("'${{ params.x }}.env'").first?.contains("expression-not-allowed") == true)
  }
}

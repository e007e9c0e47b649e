import Expressions
import PipelineLanguage
import Values

/// Turns what the command line or a former run says into the options of a run.
enum RunParameters {
  /// The values for `-p name=value`.
  static func resolve(_ arguments: [String], for pipeline: PipelineDefinition) throws -> [String: JSONValue] {
    let given = try arguments.map { argument in
      guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
        throw CommandFailure("-p needs name=value, found '\(TerminalText.visible(argument))'")
      }
      return (name: String(argument[..<equals]), text: String(argument[argument.index(after: equals)...]))
    }
    return try resolve(given: given, for: pipeline)
  }

  /// The values that a former run was started with, as far as the pipeline still has the params.
  static func resolve(recorded text: String, for pipeline: PipelineDefinition) throws -> [String: JSONValue] {
    let members = (try? JSONValue.parse(text))?.objectValue ?? [:]
    let names = Set(pipeline.parameters.map(\.name))
    let given = members.filter { names.contains($0.key) }.map {
      (name: $0.key, text: $0.value.stringValue ?? $0.value.text)
    }
    return try resolve(given: given, for: pipeline)
  }

  private static func resolve(
    given: [(name: String, text: String)], for pipeline: PipelineDefinition
  ) throws -> [String: JSONValue] {
    do {
      return try ParameterResolver.resolve(pipeline, given: given).get()
    } catch {
      throw CommandFailure(TerminalLines.visible(error.description))
    }
  }

  static func requireOperation(_ name: String, in pipeline: PipelineDefinition) throws {
    let names = pipeline.operations.map(\.name)
    guard OperationName.find(name, among: names) == nil else { return }
    let near = NearestName.suggestion(for: name, among: names).map { ", did you mean '\($0)'?" }
    throw CommandFailure(
      "the pipeline '\(pipeline.name)' has no operation '\(TerminalText.visible(name))'" + (near ?? ""))
  }
}

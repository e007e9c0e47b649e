import PipelineLanguage
import Values

/// The values of a pipeline's params, from what a former run was started with.
enum RunParameters {
  /// The values that are `given`, else those in `values`, else those that a former run was started with, as far as the pipeline still has the params; defaults for
  /// the rest. `text` is the JSON object that was recorded.
  static func resolve(
    recorded text: String, given: [(name: String, text: String)] = [], values: [String: JSONValue] = [:],
    for pipeline: PipelineDefinition
  ) throws(ParameterProblems) -> [String: JSONValue] {
    let members = (try? JSONValue.parse(text))?.objectValue ?? [:]
    let names = Set(pipeline.parameters.map(\.name))
    let former = members.filter { member in
      names.contains(member.key) && values[member.key] == nil && !given.contains { $0.name == member.key }
    }.map { (name: $0.key, text: $0.value.stringValue ?? $0.value.text) }
    return try ParameterResolver.resolve(pipeline, given: former + given, values: values).get()
  }
}

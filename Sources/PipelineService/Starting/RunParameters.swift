import PipelineLanguage
import Values

/// Resolves the values of a pipeline's params, based on those of a former run.
enum RunParameters {
  /// Returns the values: from `given`, else from `values`, else those of a former run for params that the pipeline still has, else the defaults. `text` is
  /// the JSON object that was recorded.
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

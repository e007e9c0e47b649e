import Expressions
import PipelineLanguage
import Values

/// Computes what identifies an execution of an operation: its definition and all inputs of its action.
struct OperationFingerprint {
  let run: Run
  let ordinal: Int

  /// Returns the SHA-256 of all inputs of the operation, in hexadecimal.
  ///
  /// The inputs are: the operation's definition with aliases resolved; its shell and working directory; the values of its expressions; the pipeline's
  /// params and `env`; the item; the current content of files that it sends or runs; for a plugin, its code and the secrets it may request; for a
  /// nested pipeline, its files and the code of its plugins, but not the files that the nested pipeline reads itself.
  nonisolated(nonsending) func digest() async throws -> String {
    let inputs = try inputs()
    run.dropReadings(ordinal)
    return await BlockingWork.run(if: inputs.isLarge) { inputs.digest }
  }

  private func inputs() throws -> FingerprintValues {
    let instance = run.state.instances[ordinal]
    let definition = instance.node.definition
    let contexts = run.contexts(ordinal)
    var inputs = FingerprintValues()
    inputs.add("definition", definition.contentHash ?? "")
    // Relative paths, including those in scripts, are resolved against this directory, so two files of the same name are two pipelines.
    inputs.add("file", run.state.pipeline.source.directory)
    for word in definition.shell { inputs.add("shell", word) }
    for parameter in run.state.pipeline.parameters {
      inputs.add("params.\(parameter.name)", run.state.given.parameters[parameter.name] ?? .null)
    }
    for variable in run.state.given.environment { inputs.add("pipeline env.\(variable.name)", variable.value) }
    for variable in definition.environment {
      inputs.add("env.\(variable.name)", try variable.value.evaluate(in: contexts))
    }
    switch definition.injection {
    case .none: break
    case .automatic(let template): inputs.add("inject", try template.evaluate(in: contexts))
    case .named(let members):
      for member in members { inputs.add("inject.\(member.name)", try member.value.evaluate(in: contexts)) }
    }
    if let directory = definition.directory { inputs.add("directory", try directory.evaluate(in: contexts)) }
    if let stdin = definition.stdin { inputs.add("stdin", try stdin.evaluate(in: contexts)) }
    for artifact in definition.artifacts where !artifact.path.isLiteral {
      inputs.add("artifacts.\(artifact.name)", try artifact.path.evaluate(in: contexts))
    }
    if let item = instance.item { inputs.add("item", item) }
    let action = instance.node.action
    try action.forEachTemplate { arrival, template in
      inputs.add(arrival.fingerprintName, try template.evaluate(in: contexts))
    }
    try action.addInputs(ordinal, of: run, contexts, to: &inputs)
    return inputs
  }
}

extension OperationInput.Arrival {
  /// The name of an action's template in a fingerprint. Changing a name makes every recorded success of that kind stale.
  fileprivate var fingerprintName: String {
    switch self {
    case .argument: "command"
    case .value: "value"
    case .parameter(let name): "params.\(name)"
    case .setting(let name): "with.\(name)"
    case .request(let name): name
    case .standardInput, .variable, .requirement, .condition, .items, .label, .until, .directory, .exclusive,
      .artifact:
      text
    }
  }
}

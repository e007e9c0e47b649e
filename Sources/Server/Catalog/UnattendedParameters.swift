import PipelineLanguage
import RunHistory

/// The params without values of a pipeline that runs by itself: nobody passes them then.
struct UnattendedParameters {
  private let pipeline: PipelineDefinition
  private let parameters: [PipelineDefinition.Parameter]

  /// Returns nil if there are none.
  init?(of pipeline: PipelineDefinition) {
    let isStarted = pipeline.runsByItself && !(pipeline.controllers.isEmpty && pipeline.automatic?.text == "never")
    parameters = isStarted ? pipeline.parameters.filter { $0.defaultValue == nil } : []
    guard !parameters.isEmpty else { return nil }
    self.pipeline = pipeline
  }

  /// The problem that the host publishes for the pipeline.
  var problem: String {
    let list = parameters.map(Self.words).joined(separator: " and ")
    return PublishedPipeline.problem(
      ofUnattended: "there is no value for \(list); add a 'default' to \(parameters.count == 1 ? "it" : "each")")
  }

  /// One diagnostic for each, with its place.
  var findings: [Diagnostic] {
    parameters.map { parameter in
      Diagnostic(
        otherCode: "missing-param",
        "'\(pipeline.name)' cannot run automatically: there is no value for \(Self.words(parameter))",
        file: pipeline.source.path, range: parameter.range, fix: "add a 'default' to it")
    }
  }

  private static func words(_ parameter: PipelineDefinition.Parameter) -> String {
    "the param '\(parameter.name)', \(parameter.type.noun)"
  }
}

extension PipelineDefinition {
  /// Whether anything other than a person starts it.
  var runsByItself: Bool { !controllers.isEmpty || automatic != nil || rerunOnChange != nil }
}

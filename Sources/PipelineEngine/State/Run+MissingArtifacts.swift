import PipelineLanguage

extension Run {
  /// Returns the first operation that succeeded without keeping an artifact that this operation requires, with the message about that.
  func missingArtifact(of ordinal: Int) -> (producer: Int, message: String)? {
    for requirement in state.instances[ordinal].node.requiredArtifacts {
      guard let producer = state.position(of: requirement.operation) else { continue }
      let instance = state.instances[producer]
      guard instance.state == .succeeded || instance.state == .reused,
        case .null? = try? requirement.expression.evaluate(in: contexts(ordinal))
      else { continue }
      let artifact = instance.node.definition.artifacts.first { requirement.steps.contains($0.name.lowercased()) }
      var message = "'\(instance.name)' has no such artifact"
      if let artifact {
        message = "'\(instance.name)' has no file for its artifact '\(artifact.name)'"
        if artifact.isPattern { message += ": nothing matched its pattern '\(artifact.path.text)'" }
      }
      let text = requirement.expression.text
      return (producer, "\(message); give a default (`\(text) || …`) if it may be missing")
    }
    return nil
  }
}

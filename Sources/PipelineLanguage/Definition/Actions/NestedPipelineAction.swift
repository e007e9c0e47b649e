/// `pipeline`: a nested pipeline, by the path written in the file.
package struct NestedPipelineAction: ActionKind {
  package let path: String
  package let parameters: [(name: String, value: DataTemplate)]

  package init(path: String, parameters: [(name: String, value: DataTemplate)]) {
    self.path = path
    self.parameters = parameters
  }

  package var keyword: String { "pipeline" }
  // Its operations take slots of the nested run; it takes one here as long as they go on.
  package var isWork: Bool { true }
  // What it hands over is followed by `SecretTrail`.
  package var secretReach: SecretReach { .nowhere }
  package var summary: String { TerminalText.visible(path) }

  package var nestedPath: String? { path }

  package func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for parameter in parameters { try body(.parameter(parameter.name), parameter.value) }
  }
}

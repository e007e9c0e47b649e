/// `pipeline`: a nested pipeline, by the path written in the file.
struct NestedPipelineAction: ActionKind {
  let path: String
  let parameters: [(name: String, value: DataTemplate)]

  var keyword: String { "pipeline" }
  // Its operations take slots of the nested run; it takes one here as long as they go on.
  var isWork: Bool { true }
  // What it hands over is followed by `SecretTrail`.
  var secretReach: SecretReach { .nowhere }
  var summary: String { TerminalText.visible(path) }

  func forEachTemplate(_ body: (OperationInput.Arrival, DataTemplate) throws -> Void) rethrows {
    for parameter in parameters { try body(.parameter(parameter.name), parameter.value) }
  }
}

import Values

extension PipelineChecker {
  /// Checks that a label is text: a list or mapping would be shown as JSON.
  func checkLabel(of operation: OperationDraft, _ types: [ValueType]) {
    guard let label = operation.label?.placed, case .template = label.data else { return }
    let type = TypeInference.type(of: label, siteTypes: types)
    switch type {
    case .list, .object:
      reader.error(.typeMismatch, "'label' needs a string, found \(Self.shown(type))", at: label.node.range)
    default: break
    }
  }
}

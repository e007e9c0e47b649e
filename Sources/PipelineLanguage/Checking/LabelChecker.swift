import Values

extension PipelineChecker {
  /// A label is a text: of a list or mapping, it would be JSON that nobody reads.
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

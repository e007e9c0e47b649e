extension DocumentReader {
  /// Reads `label`, beside a loop or inside the long form of `for_each`.
  func readLabel(_ entry: YAMLEntry, into draft: OperationDraft) {
    if draft.label != nil {
      return error(
        .duplicateKey, "'label' is given both in 'for_each' and beside it", at: entry.key.range, fix: "keep one")
    }
    guard let (template, placed) = placedTemplate(entry.value, "'label'", .label, into: &draft.sites) else { return }
    draft.label = OperationDraft.LabelDraft(keyRange: entry.key.range, template: template, placed: placed)
  }

  /// Adds the label to its loop, because the two may come in any order.
  func finishLabel(of draft: OperationDraft) {
    guard let label = draft.label else { return }
    guard draft.definition.loop != nil else {
      return error(
        .misplacedKey, "'label' has no effect without 'for_each' or 'matrix'", at: label.keyRange,
        fix: "'description' says what an operation is for")
    }
    draft.definition.loop?.label = label.template
  }
}

import PipelineLanguage
import RunHistory

extension RunRecord {
  /// The reason, where it says more than the state: a run that was asked to end is `cancelled` for the reason `cancelled`.
  package var tellingReason: String? {
    if let secretBeingRead { return "it reads its secret '\(TerminalText.visible(secretBeingRead))'" }
    return reason == state.rawValue ? nil : reason
  }
}

import RunHistory

extension RunRecord {
  /// The reason, where it says more than the state: a run that was asked to end is `cancelled` for the reason `cancelled`.
  package var tellingReason: String? { reason == state.rawValue ? nil : reason }
}

import RunHistory

/// The parts of an explanation about the resources that an operation waits for.
extension RunExplanation {
  /// Returns what lets an operation begin that waits for these resources.
  func resourceRemedy(_ names: [String]) -> String {
    let holders = holders(names)
    guard !holders.isEmpty else { return "it begins when what holds the resources ends" }
    return "it begins when enough is released by "
      + ResourceHolds.list(holders) { "'\($0.operation)' of run \(short($0.run)) in process \($0.owner.pid)" }
  }

  /// Returns the holders of the resources that an operation waits for, as `status` shows them; empty if there are none.
  func holding(of record: OperationRecord) -> String {
    guard case .resources(let names)? = record.operationReason else { return "" }
    return ResourceHolds.words(holders(names), short: short)
  }
}

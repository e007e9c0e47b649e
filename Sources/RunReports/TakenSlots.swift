import RunHistory

/// Describes that all slots of a run are taken, and by which of its operations.
struct TakenSlots {
  /// The maximum number of operations that are named.
  private static let named = 3

  private let operations: [OperationRecord]
  private let limit: Int
  private let isDeclared: Bool

  /// - Parameters:
  ///   - operations: The running operations, at least one.
  ///   - limit: The number of slots of the run.
  ///   - isDeclared: Whether the limit comes from its key `concurrency`.
  init(by operations: [OperationRecord], limit: Int, isDeclared: Bool) {
    (self.operations, self.limit, self.isDeclared) = (operations, limit, isDeclared)
  }

  /// A clause, such as `'a' and 'b' are at work, and without `concurrency`, a run has 2 slots`.
  var words: String {
    var names = operations.prefix(Self.named).map { "'\($0.title)'" }
    if operations.count > names.count { names.append("\(operations.count - names.count) more") }
    let last = names.popLast() ?? ""
    let who = names.isEmpty ? "\(last) is running" : "\(names.joined(separator: ", ")) and \(last) are running"
    let allowed =
      isDeclared
      ? "`concurrency` of the run allows \(limit == 1 ? "one" : "\(limit)")"
      : "without `concurrency`, a run has \(limit) \(limit == 1 ? "slot" : "slots")"
    return "\(who), and \(allowed)"
  }
}

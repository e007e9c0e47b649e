import RunHistory

extension ResourceHolds {
  /// The maximum number of holders that are named.
  private static let named = 3

  /// Returns the text that follows what is waited for: `, held by 'train' of run 03kx9fab and 2 more`. Empty if nothing is held.
  static func words(_ holders: [Holder], short: (RunID) throws -> String) rethrows -> String {
    try heldBy(holders.map { ($0.operation, $0.run) }, short: short)
  }

  /// Returns the same text for operations that hold something else, such as a process of the host.
  static func heldBy(
    _ operations: [(operation: String, run: RunID)], short: (RunID) throws -> String
  ) rethrows -> String {
    guard !operations.isEmpty else { return "" }
    return ", held by " + (try list(operations) { "'\($0.operation)' of run \(try short($0.run))" })
  }

  /// Returns the first holders, each as `describe` names it, and the number of the others.
  static func list<Holder>(_ holders: [Holder], _ describe: (Holder) throws -> String) rethrows -> String {
    let shown = try holders.prefix(named).map(describe)
    return shown.joined(separator: ", ")
      + (holders.count > shown.count ? " and \(holders.count - shown.count) more" : "")
  }
}

extension History {
  /// Returns the holders of these resources, as text that follows what is waited for: `, held by 'train' of run 03kx9fab`. Empty if there are none.
  ///
  /// - Parameter names: The names of the resources.
  /// - Returns: The text, which begins with a comma.
  /// - Throws: `WorkspaceError`.
  package func holding(ofResources names: [String]) throws -> String {
    try ResourceHolds.words(try holders(ofResources: names)) { try shortForm(of: $0) }
  }
}

import RunHistory

extension ResourceHolds {
  /// How many operations are named.
  private static let named = 3

  /// Behind what is waited for: `, held by 'train' of run 03kx9fab and 2 more`. Empty where nothing is held.
  static func words(_ holders: [Holder], short: (RunID) throws -> String) rethrows -> String {
    guard !holders.isEmpty else { return "" }
    let shown = try holders.prefix(named).map { "'\($0.operation)' of run \(try short($0.run))" }
    return ", held by " + shown.joined(separator: ", ")
      + (holders.count > shown.count ? " and \(holders.count - shown.count) more" : "")
  }
}

extension History {
  /// Who holds some of these resources, behind what is waited for: `, held by 'train' of run 03kx9fab`. Empty where nobody does.
  ///
  /// - Parameter names: The names of the resources.
  /// - Returns: The words, which begin with a comma.
  /// - Throws: `WorkspaceError`.
  package func holding(ofResources names: [String]) throws -> String {
    try ResourceHolds.words(try holders(ofResources: names)) { try shortForm(of: $0) }
  }
}

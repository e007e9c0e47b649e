import RunHistory
import Values

/// A host that runs as many operations as its `limits.processes` allows, so that others wait for one of them to end.
package struct BusyHost: Sendable, Hashable {
  /// The maximum number of operations that run at once.
  package let limit: Int
  /// The operations that it runs, as text that follows what is waited for.
  private let holding: String

  /// Returns nil if the run is in no host, or if its host has capacity left.
  ///
  /// - Parameters:
  ///   - run: An active run.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init?(of run: RunRecord, in history: History) throws {
    guard let host = try history.hosts().first(where: { $0.owner == run.owner }) else { return nil }
    try self.init(host, in: history)
  }

  /// Nil if the host lets more begin.
  init?(_ host: HostRecord, in history: History) throws {
    guard
      let limit = try? JSONValue.parse(host.configuration)["limits"]?["processes"]?.intValue.flatMap({
        Int(exactly: $0)
      })
    else { return nil }
    let holders = try history.operationsAtWork(of: host.owner)
    guard holders.count >= limit else { return nil }
    self.limit = limit
    holding = try ResourceHolds.heldBy(holders.map { ($0.operation, $0.run) }) { try history.shortForm(of: $0) }
  }

  /// What an operation waits for that may begin and has not.
  var awaited: String {
    (limit == 1 ? "the one process" : "one of the \(limit) processes")
      + " that `limits.processes` of the host allows" + holding
  }

  /// What would let it begin.
  var remedy: String { "it begins when another operation ends; `limits.processes` of the host allows more at once" }
}

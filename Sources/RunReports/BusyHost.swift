import RunHistory
import Values

/// A host that runs as many operations as its `limits.processes` allows, so that others wait for one of them to end.
package struct BusyHost: Sendable, Hashable {
  /// The maximum number of operations that run at once.
  package let limit: Int

  /// Returns nil if the run is in no host, or if its host has capacity left.
  ///
  /// - Parameters:
  ///   - run: An active run.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  package init?(of run: RunRecord, in history: History) throws {
    guard let host = try history.hosts().first(where: { $0.owner == run.owner }),
      let limit = try? JSONValue.parse(host.configuration)["limits"]?["processes"]?.intValue.flatMap({
        Int(exactly: $0)
      }),
      try history.operationsAtWork(of: run.owner) >= limit
    else { return nil }
    self.limit = limit
  }

  /// Why an operation that is ready has not begun.
  var reason: String {
    limit == 1
      ? "it waits for the one process that `limits.processes` of the host allows, which is at work"
      : "it waits for one of the \(limit) processes that `limits.processes` of the host allows, which are all at work"
  }

  /// What would let it begin.
  var remedy: String { "it begins when another operation ends; `limits.processes` of the host allows more at once" }
}

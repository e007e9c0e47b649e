import RunHistory

/// Detects operations that wait for each other in a cycle, and therefore forever, from the records of active runs.
///
/// An operation waits forever if everything that holds what it waits for is, or contains, such an operation: a holder cannot end before it does.
package struct MutualWaits: Sendable {
  /// An operation and its run.
  private struct Place: Hashable {
    var run: RunID
    var operation: String
  }

  private struct Wait {
    /// The operation, preceded by those that lead to it from the root run.
    var path: String
    var root: RunID
    /// The operation itself, and the operations that contain it.
    var within: [Place]
    /// What it waits for, in words.
    var thing: String
    var holders: [Place]
  }

  private let waits: [Wait]
  private let short: @Sendable (RunID) -> String

  /// - Parameters:
  ///   - history: The history.
  ///   - short: Returns the short id of a run.
  /// - Throws: `WorkspaceError`.
  package init(in history: History, short: @escaping @Sendable (RunID) -> String) throws {
    self.short = short
    var waits = try history.heldUpOperations().compactMap { try Self.wait($0, in: history) }
    while true {
      let stuck = waits
      waits = stuck.filter { wait in
        wait.holders.allSatisfy { holder in stuck.contains { $0.within.contains(holder) } }
      }
      if waits.count == stuck.count { break }
    }
    self.waits = waits
  }

  /// Returns what an operation waits for and which operations hold it; nil if that is unknown.
  private static func wait(_ held: HeldUpOperation, in history: History) throws -> Wait? {
    var wait = Wait(path: held.path, root: held.run, within: [], thing: "", holders: [])
    switch held.reason {
    case .exclusive(let exclusive):
      guard let name = exclusive.name, let lease = try history.lease(ofExclusive: name),
        let holder = LeaseHolder(lease.holder), let run = holder.run, let operation = holder.operation
      else { return nil }
      wait.thing = "'\(name)'"
      wait.holders = [Place(run: run, operation: operation)]
    case .resources(let names):
      let holders = try history.holders(ofResources: names)
      guard !holders.isEmpty else { return nil }
      wait.thing = names.joined(separator: ", ")
      wait.holders = holders.map { Place(run: $0.run, operation: $0.operation) }
    default: return nil
    }
    var place: Place? = Place(run: held.record.run, operation: held.record.name)
    while let inner = place {
      wait.within.append(inner)
      place = try history.run(inner.run)?.parent.map { Place(run: $0.run, operation: $0.operation) }
    }
    return wait
  }

  /// Describes the cycle that operations of a run, or of a run nested in it, are part of; nil if there is none.
  package func words(of run: RunID) -> String? {
    guard var next = waits.first(where: { wait in wait.within.contains { $0.run == run } }) else { return nil }
    var links: [String] = []
    var seen: Set<Place> = []
    while let place = next.within.first, seen.insert(place).inserted, let holder = next.holders.first {
      links.append(
        "'\(next.path)' of run \(short(next.root)) waits for \(next.thing), which '\(holder.operation)' of run \(short(holder.run)) holds"
      )
      guard let following = waits.first(where: { $0.within.contains(holder) }) else { break }
      next = following
    }
    return "it waits forever, because operations wait for each other: \(links.joined(separator: "; "))"
  }
}

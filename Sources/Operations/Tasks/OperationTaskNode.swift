import Synchronization

/// A task as others see it that wait for its end, whatever its result is.
///
/// Unchecked because Swift wants it of a class that is not final; all state is constant or behind a lock.
class OperationTaskNode: @unchecked Sendable {
  /// One lock for the edges of all tasks: whether an edge closes a cycle depends on all of them. Tasks rarely have any.
  private static let edges = Mutex<Void>(())

  let id = OperationTaskIdentifier()
  private let awaited = Mutex<[OperationTaskNode]>([])

  var dependencies: [OperationTaskNode] { awaited.withLock { $0 } }

  /// Whether the task was started.
  var hasStarted: Bool { false }

  /// Starts the task if need be, and returns when it has ended.
  func runToEnd() async {}

  func add(dependency: OperationTaskNode) throws(OperationTaskScheduleError) {
    guard !hasStarted else { throw .alreadyStarted(id) }
    let closesCycle = Self.edges.withLock { _ in
      guard !dependency.awaits(self) else { return true }
      link(dependency)
      return false
    }
    guard !closesCycle else { throw .dependencyCycle(id, after: dependency.id) }
  }

  /// Adds an edge that cannot close a cycle, because nothing can wait for this task yet.
  func link(_ dependency: OperationTaskNode) {
    awaited.withLock { $0.append(dependency) }
  }

  /// Lets go of what was awaited, so that a finished task keeps no chain of others.
  func unlink() {
    let released = awaited.withLock { awaited in
      defer { awaited = [] }
      return awaited
    }
    _ = released
  }

  /// Waits for all that this task was scheduled after.
  func awaitDependencies() async {
    let dependencies = dependencies
    guard !dependencies.isEmpty else { return }
    for dependency in dependencies { await dependency.runToEnd() }
    unlink()
  }

  private func awaits(_ other: OperationTaskNode) -> Bool {
    var pending = [self]
    var seen: Set<OperationTaskIdentifier> = []
    while let node = pending.popLast() {
      if node === other { return true }
      guard seen.insert(node.id).inserted else { continue }
      pending += node.dependencies
    }
    return false
  }
}

import Synchronization

/// The life cycle of an ``OperationTask``, independent of its result type: not started, running, ended; the callers
/// waiting for its end, and its dependencies.
///
/// Subclasses define the work. Invariant: ``begin(immediately:)`` is called once, and leads to one ``end()``;
/// ``cancellationRequested()`` is called at most once, never before `begin` was called, and possibly while it runs.
///
/// Unchecked because Swift requires it of a class that is not final; all state is constant or guarded by the lock.
@usableFromInline
class OperationTaskNode: @unchecked Sendable {
  private enum Phase {
    case idle
    case running
    case finished
  }

  private struct Waiter {
    let id: UInt64
    /// Resumed with true at the end, and with false if the waiter leaves.
    let continuation: CheckedContinuation<Bool, Never>
    /// Whether it was cancelled, and stays only because the task's failure cannot be a cancellation.
    var isGone = false
  }

  private enum Edge {
    /// This task runs after the other one, but does not request it.
    case order
    /// This task runs after the other one, and counts in its `wanting` until it starts.
    case wanted
    /// The work itself runs the other one and waits for it.
    case base
  }

  private struct Dependency {
    let node: OperationTaskNode
    let edge: Edge
  }

  private struct Locked {
    var phase = Phase.idle
    var isCancelled = false
    /// Whether it was started by a caller that does not wait, so that the run must not end for lack of waiters.
    var isHeld = false
    /// Whether the last waiter has left, and the run continues for the tasks that want it.
    var isLeft = false
    /// The number of tasks that want this one and do not wait for it yet, because they have not started.
    var wanting: Int32 = 0
    var lastWaiter: UInt64 = 0
    var waiters: [Waiter] = []
    var dependencies: [Dependency] = []
    var configuration: OperationTaskConfiguration?
    /// Whether there is a configuration: cheaper than reading it.
    var isConfigured = false
  }

  /// A single lock for the edges of all tasks: whether an edge closes a cycle depends on all of them. Tasks rarely have any.
  private static let edges = Mutex<Void>(())

  let id = OperationTaskIdentifier()
  @usableFromInline let context: OperationContext
  private let locked = Mutex(Locked())

  @usableFromInline
  init(context: OperationContext) {
    self.context = context
  }

  deinit {
    for dependency in locked.withLock({ $0.dependencies }) where dependency.edge == .wanted {
      dependency.node.endWanting()
    }
  }

  // MARK: - For subclasses

  /// Starts the work. `isImmediate` means that the caller is about to wait, so that the work may start on its thread.
  func begin(immediately isImmediate: Bool) {}

  /// Notifies the work that it is no longer needed.
  func cancellationRequested() {}

  /// Whether the failure can be a `CancellationError`, so that a single waiter can leave.
  var admitsCancellation: Bool { false }

  // MARK: - Life cycle

  var hasStarted: Bool { locked.withLock { $0.phase != .idle } }

  @usableFromInline
  final var isFinished: Bool { locked.withLock { $0.phase == .finished } }

  @usableFromInline
  final var isCancelled: Bool { locked.withLock { $0.isCancelled } }

  /// The configuration; nil leaves everything to the runtime.
  @usableFromInline
  final var configuration: OperationTaskConfiguration? {
    get { locked.withLock { $0.configuration } ?? context.operationTaskConfiguration }
    set {
      // The old value is released after the lock, because an executor is user code.
      let old = locked.withLock { locked in
        defer { locked.configuration = newValue }
        locked.isConfigured = newValue != nil
        return locked.configuration
      }
      _ = old
    }
  }

  /// Whether there may be a configuration.
  @usableFromInline
  final var isConfigured: Bool {
    locked.withLock { $0.isConfigured } || context.hasTaskConfiguration
  }

  /// Starts the work if necessary, without waiting for it.
  func start() {
    let begins = locked.withLock { locked in
      guard locked.phase == .idle else { return false }
      locked.phase = .running
      locked.isHeld = true
      return true
    }
    if begins { begin(immediately: false) }
  }

  /// Starts the work if necessary, and waits for its end.
  ///
  /// - Returns: Whether it has ended; false if the calling task was cancelled while others keep waiting.
  nonisolated(nonsending) func runToEnd() async -> Bool {
    if takeStart() { begin(immediately: true) }
    return if isFinished { true } else { await wait() }
  }

  /// Claims the start for the caller, which is about to wait for the end.
  ///
  /// - Returns: Whether the caller must call ``begin(immediately:)``; false if the task has already been started.
  @usableFromInline
  final func takeStart() -> Bool {
    let isFirst = locked.withLock { locked in
      guard locked.phase == .idle else { return false }
      locked.phase = .running
      return true
    }
    // Before the start, so that the work starts cancelled instead of being cancelled later.
    if isFirst, Task.isCancelled { cancel() }
    return isFirst
  }

  /// Does the same as ``runToEnd()`` for a task that was scheduled after this one. If that task is already cancelled,
  /// nothing is started, because others may want it.
  private nonisolated(nonsending) func runToEnd(for edge: Edge) async {
    let isCancelled = Task.isCancelled
    let phase: Phase? = locked.withLock { locked in
      guard locked.phase == .idle else { return locked.phase }
      guard !isCancelled else { return nil }
      locked.phase = .running
      return .idle
    }
    switch phase {
    case nil:
      if edge == .wanted { endWanting() }
      return
    case .finished?: return
    case .running?: break
    case .idle?:
      begin(immediately: true)
      if isFinished { return }
    }
    _ = await wait(wanted: edge == .wanted)
  }

  @usableFromInline
  final func cancel() {
    let mustTell = locked.withLock { locked in
      guard locked.phase != .finished, !locked.isCancelled else { return false }
      locked.isCancelled = true
      return locked.phase == .running
    }
    if mustTell { cancellationRequested() }
  }

  /// Ends the task and resumes its waiters.
  @usableFromInline
  final func end() {
    let (waiters, released): ([Waiter], [Dependency]) = locked.withLock { locked in
      locked.phase = .finished
      locked.isLeft = false
      guard !locked.waiters.isEmpty || !locked.dependencies.isEmpty else { return ([], []) }
      defer { (locked.waiters, locked.dependencies) = ([], []) }
      return (locked.waiters, locked.dependencies)
    }
    // A run that joined another one has not waited for its dependencies.
    for dependency in released where dependency.edge == .wanted { dependency.node.endWanting() }
    for waiter in waiters { waiter.continuation.resume(returning: true) }
  }

  /// Waits for the end. `isWanted` means that the waiter has counted in `wanting` until now.
  private nonisolated(nonsending) func wait(wanted isWanted: Bool = false) async -> Bool {
    let id = locked.withLock { locked in
      locked.lastWaiter += 1
      return locked.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isEarly = locked.withLock { locked in
          if locked.phase == .finished { return true }
          locked.waiters.append(Waiter(id: id, continuation: continuation))
          locked.isLeft = false
          if isWanted { locked.wanting -= 1 }
          return false
        }
        if isEarly { continuation.resume(returning: true) }
        // The cancellation handler may have been called before there was a waiter.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
  }

  /// The consequence of a waiter leaving.
  private enum Leaving {
    case nothing
    case cancelAll
    case resume(CheckedContinuation<Bool, Never>)
  }

  /// Handles the cancellation of the Swift task of one waiter.
  private func leave(_ id: UInt64) {
    let admitsCancellation = admitsCancellation
    let consequence: Leaving = locked.withLock { locked in
      guard let index = locked.waiters.firstIndex(where: { $0.id == id }), !locked.waiters[index].isGone else {
        return .nothing
      }
      let isAwaited = locked.isHeld || locked.waiters.contains { $0.id != id && !$0.isGone }
      guard isAwaited || locked.wanting > 0 else { return .cancelAll }
      if !isAwaited { locked.isLeft = true }
      guard admitsCancellation else {
        locked.waiters[index].isGone = true
        return .nothing
      }
      return .resume(locked.waiters.remove(at: index).continuation)
    }
    switch consequence {
    case .nothing: break
    case .cancelAll: cancel()
    case .resume(let continuation): continuation.resume(returning: false)
    }
  }

  // MARK: - Dependencies

  func add(dependency: OperationTaskNode) throws(OperationTaskScheduleError) {
    guard !hasStarted else { throw .alreadyStarted(id) }
    let (closesCycle, isAdded) = Self.edges.withLock { _ in
      guard !dependency.awaits(self) else { return (true, false) }
      dependency.locked.withLock { $0.wanting += 1 }
      // Checked again in the step that adds: a task that has started meanwhile may have read its list.
      let isAdded = locked.withLock { locked in
        guard locked.phase == .idle else { return false }
        locked.dependencies.append(Dependency(node: dependency, edge: .wanted))
        return true
      }
      return (false, isAdded)
    }
    guard !closesCycle else { throw .dependencyCycle(id, after: dependency.id) }
    guard isAdded else {
      dependency.endWanting()
      throw .alreadyStarted(id)
    }
  }

  /// Adds an edge that cannot close a cycle, because nothing can wait for this task yet. It only defines an order: this
  /// task does not want the other one to run.
  func link(_ dependency: OperationTaskNode) {
    locked.withLock { $0.dependencies.append(Dependency(node: dependency, edge: .order)) }
  }

  /// Records that the work runs `base` and waits for it. Called before anything can wait for this task.
  func link(base: OperationTaskNode) {
    locked.withLock { $0.dependencies.append(Dependency(node: base, edge: .base)) }
  }

  /// Records that a task that wanted this one no longer does, and has not waited for it.
  private func endWanting() {
    let isUnwanted = locked.withLock { locked in
      locked.wanting -= 1
      return locked.isLeft && locked.wanting == 0
    }
    if isUnwanted { cancel() }
  }

  @usableFromInline
  final var hasDependencies: Bool { locked.withLock { !$0.dependencies.isEmpty } }

  /// Runs the tasks that this one was scheduled after in parallel, and then releases them, so that a finished task does
  /// not retain a chain of others.
  @usableFromInline
  final func awaitDependencies() async {
    let dependencies = locked.withLock { $0.dependencies }.filter { $0.edge != .base }
    if dependencies.count > 1 {
      await withTaskGroup(of: Void.self) { group in
        for dependency in dependencies {
          group.addImmediateTask { await dependency.node.runToEnd(for: dependency.edge) }
        }
      }
    } else if let dependency = dependencies.first {
      await dependency.node.runToEnd(for: dependency.edge)
    }
    let released = locked.withLock { locked in
      defer { locked.dependencies = locked.dependencies.filter { $0.edge == .base } }
      return locked.dependencies
    }
    _ = released
  }

  private func awaits(_ other: OperationTaskNode) -> Bool {
    var pending = [self]
    var seen: Set<OperationTaskIdentifier> = []
    while let node = pending.popLast() {
      if node === other { return true }
      guard seen.insert(node.id).inserted else { continue }
      pending += node.locked.withLock { $0.dependencies }.map(\.node)
    }
    return false
  }
}

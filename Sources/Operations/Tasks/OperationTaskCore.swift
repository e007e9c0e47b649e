import Synchronization

/// The one life of an ``OperationTask``: not started, running, ended; and those who wait for its end.
///
/// Subclasses say what running is. Invariant: ``begin(immediately:)`` is called once, and leads to one ``finish(_:)``;
/// ``cancellationRequested()`` is called at most once, never before `begin` was, and possibly while it runs.
///
/// Unchecked because Swift wants it of a class that is not final; all state is constant or behind the lock.
class OperationTaskCore<Value: Sendable, Failure: Error>: OperationTaskNode, @unchecked Sendable {
  typealias Outcome = Result<Value, Failure>

  private enum Phase {
    case idle
    case running
    case finished(Outcome)
  }

  private struct Waiter {
    let id: UInt64
    let continuation: CheckedContinuation<Outcome, Never>
    /// Was cancelled, and stays only because `Failure` does not admit a cancellation.
    var isGone = false
  }

  /// What follows when a waiter leaves.
  private enum Leaving {
    case nothing
    case cancelAll
    case resume(CheckedContinuation<Outcome, Never>, Failure)
  }

  private struct Locked {
    var phase = Phase.idle
    var isCancelled = false
    /// Was started by somebody who does not wait, so that the run must not end for want of waiters.
    var isHeld = false
    var lastWaiter: UInt64 = 0
    var waiters: [Waiter] = []
    var configuration: OperationTaskConfiguration?
  }

  let context: OperationContext
  private let locked: Mutex<Locked>

  init(context: OperationContext) {
    self.context = context
    locked = Mutex(Locked())
  }

  /// Starts the work. `isImmediate` says that the caller is about to wait, so that the work may begin on its thread.
  func begin(immediately isImmediate: Bool) {}

  /// Tells the work that it is not wanted any more.
  func cancellationRequested() {}

  var configuration: OperationTaskConfiguration {
    get {
      locked.withLock { $0.configuration } ?? context.operationTaskConfiguration ?? OperationTaskConfiguration()
    }
    set {
      let old = locked.withLock { locked in
        defer { locked.configuration = newValue }
        return locked.configuration
      }
      _ = old
    }
  }

  override var hasStarted: Bool {
    locked.withLock { if case .idle = $0.phase { false } else { true } }
  }

  var isFinished: Bool { finishedResult != nil }

  var isCancelled: Bool { locked.withLock { $0.isCancelled } }

  var finishedResult: Outcome? {
    locked.withLock { if case .finished(let outcome) = $0.phase { outcome } else { nil } }
  }

  override func runToEnd() async {
    _ = await outcome()
  }

  func start() {
    let begins = locked.withLock { locked in
      guard case .idle = locked.phase else { return false }
      locked.phase = .running
      locked.isHeld = true
      return true
    }
    if begins { begin(immediately: false) }
  }

  /// Starts the work if need be, and returns its outcome.
  func outcome() async -> Outcome {
    let (begins, early): (Bool, Outcome?) = locked.withLock { locked in
      switch locked.phase {
      case .idle:
        locked.phase = .running
        return (true, nil)
      case .running: return (false, nil)
      case .finished(let outcome): return (false, outcome)
      }
    }
    if let early { return early }
    if begins {
      // So that the work begins as a cancelled one, and not only learns of it later.
      if Task.isCancelled { cancel() }
      begin(immediately: true)
      if let finishedResult { return finishedResult }
    }
    return await wait()
  }

  func cancel() {
    let mustTell = locked.withLock { locked in
      if case .finished = locked.phase { return false }
      guard !locked.isCancelled else { return false }
      locked.isCancelled = true
      if case .running = locked.phase { return true }
      return false
    }
    if mustTell { cancellationRequested() }
  }

  /// Ends the task, unless it has ended.
  func finish(_ outcome: Outcome) {
    let waiters: [Waiter] = locked.withLock { locked in
      if case .finished = locked.phase { return [] }
      locked.phase = .finished(outcome)
      defer { locked.waiters = [] }
      return locked.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: outcome) }
  }

  private func wait() async -> Outcome {
    let id = locked.withLock { locked in
      locked.lastWaiter += 1
      return locked.lastWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early: Outcome? = locked.withLock { locked in
          if case .finished(let outcome) = locked.phase { return outcome }
          locked.waiters.append(Waiter(id: id, continuation: continuation))
          return nil
        }
        if let early { continuation.resume(returning: early) }
        // The handler below may have come before there was a waiter.
        if Task.isCancelled { leave(id) }
      }
    } onCancel: {
      leave(id)
    }
  }

  /// One waiter's Swift task was cancelled.
  private func leave(_ id: UInt64) {
    let admitted = CancellationError() as? Failure
    let consequence: Leaving = locked.withLock { locked in
      guard let index = locked.waiters.firstIndex(where: { $0.id == id }), !locked.waiters[index].isGone else {
        return .nothing
      }
      let isNeeded = locked.isHeld || locked.waiters.contains { $0.id != id && !$0.isGone }
      guard isNeeded else { return .cancelAll }
      guard let admitted else {
        locked.waiters[index].isGone = true
        return .nothing
      }
      return .resume(locked.waiters.remove(at: index).continuation, admitted)
    }
    switch consequence {
    case .nothing: break
    case .cancelAll: cancel()
    case .resume(let continuation, let error): continuation.resume(returning: .failure(error))
    }
  }
}

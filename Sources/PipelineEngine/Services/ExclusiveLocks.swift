import CProcess
import DequeModule
import Glibc
import RunHistory
import Workspace

/// Names that only one operation on the workspace may hold at a time, across all processes.
///
/// Within the process, contenders queue by name, first come, first served; the first of them holds or waits for the workspace's lease. A lease that
/// another process holds is retried when that process releases it or ends; in that case, what it left running under the name is terminated first. *On
/// the event loop.*
final class ExclusiveLocks: @unchecked Sendable {
  // @unchecked: the compiler cannot verify it, but this is accessed only on the event loop's thread: by code that runs there anyway and by what is
  // sent there with `execute`.

  /// A name that is held, to be released.
  struct Hold: Sendable {
    let name: String
    let fence: Int64
  }

  /// The holder of a name that others wait for.
  struct Holder: Sendable {
    let description: String
    let process: Int32
  }

  private let loop: EventLoop
  private let formerProcesses: FormerProcesses
  private let recorder: HistoryRecorder
  private let history: History
  private let time: HostClock
  /// The contenders behind the one that holds or waits for the lease.
  private var queues: [String: Deque<LoopWaiter>] = [:]

  init(
    loop: EventLoop, recorder: HistoryRecorder, history: History, time: HostClock, formerProcesses: FormerProcesses
  ) {
    self.time = time
    self.loop = loop
    self.formerProcesses = formerProcesses
    self.recorder = recorder
    self.history = history
  }

  /// Whether taking `name` would wait for another operation in this process.
  func isTaken(_ name: String) -> Bool { queues[name] != nil }

  /// Takes `name`, waiting as long as necessary. `waiting` is called each time another process holds it, and `noticing` with messages about the
  /// processes of a holder that no longer exists.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, or the workspace's error.
  func take(
    _ name: String, holder: LeaseHolder, watch: WorkspaceWatch, isolation: isolated (any Actor)? = #isolation,
    waiting: (Holder) -> Void, noticing: (String) -> Void
  ) async throws -> Hold {
    if queues[name] != nil {
      let waiter = LoopWaiter(loop: loop)
      queues[name]?.append(waiter)
      guard await waiter.wait() else {
        // The name may have been handed over after the wait was cancelled; it is then passed on to the next one.
        if queues[name]?.contains(where: { $0 === waiter }) == true {
          queues[name]?.removeAll { $0 === waiter }
        } else {
          handOver(name)
        }
        throw CancellationError()
      }
    } else {
      queues[name] = []
    }
    do {
      // Nothing is watched until another process holds the name.
      if case .granted(let lease) = try await acquire(name, holder, noticing: noticing) {
        return Hold(name: name, fence: lease.fence)
      }
      while true {
        try Task.checkCancellation()
        // Subscribe before trying, so that a release between the two is not missed.
        let waiter = LoopWaiter(loop: loop)
        let observer = watch.add(.lease(name)) { waiter.wake() }
        defer { watch.remove(observer) }
        switch try await acquire(name, holder, noticing: noticing) {
        case .granted(let lease):
          return Hold(name: name, fence: lease.fence)
        case .held(let lease):
          waiting(Holder(description: lease.holder, process: lease.owner.pid))
          let death = try watchEnd(of: lease.owner) { waiter.wake() }
          defer { death() }
          guard lease.owner.isAlive(in: history.workspace.directory) else { continue }
          guard await waiter.wait() else { throw CancellationError() }
        }
      }
    } catch {
      handOver(name)
      throw error
    }
  }

  /// Takes `name` if it is free; returns nil otherwise.
  ///
  /// - Throws: The workspace's error.
  func takeAtOnce(
    _ name: String, holder: LeaseHolder, isolation: isolated (any Actor)? = #isolation, noticing: (String) -> Void
  ) async throws -> Hold? {
    guard queues[name] == nil else { return nil }
    queues[name] = []
    do {
      if case .granted(let lease) = try await acquire(name, holder, noticing: noticing) {
        return Hold(name: name, fence: lease.fence)
      }
    } catch {
      handOver(name)
      throw error
    }
    handOver(name)
    return nil
  }

  private func acquire(
    _ name: String, _ holder: LeaseHolder, isolation: isolated (any Actor)? = #isolation, noticing: (String) -> Void
  ) async throws -> LeaseOutcome {
    let now = time.now().microseconds
    let (former, outcome) = try await recorder.perform(changing: {
      (answer: (former: Lease?, outcome: LeaseOutcome)) in
      // An unsuccessful attempt has changed nothing.
      guard case .granted = answer.outcome else { return [] }
      return answer.former == nil ? [StoredLease.self] : nil
    }) { db in
      let former = try Leases.current(name, in: db)
      let outcome = try Leases.acquire(name, holder: holder.description, at: now, in: db)
      // Its run is fenced off as well, so that it cannot continue under the name if its process was wrongly believed to have ended.
      if former != nil, case .granted = outcome { try RunOwnership.markAbandoned(in: db) }
      return (former, outcome)
    }
    // A lease that was held and could still be acquired belonged to a process that has ended.
    if case .granted(let lease) = outcome, let former, let run = LeaseHolder(former.holder)?.run {
      try await endProcesses(of: run, former: former, taken: lease, noticing: noticing)
    }
    return outcome
  }

  /// Terminates what the dead host of a run left running. If that fails, the name is returned to the former holder, so that the next to take it retries.
  private func endProcesses(
    of run: RunID, former: Lease, taken: Lease, isolation: isolated (any Actor)? = #isolation,
    noticing: (String) -> Void
  ) async throws {
    do {
      try await formerProcesses.endLeft(of: run, host: former.owner, noticing: noticing)
    } catch {
      try await recorder.perform { db in
        guard try Leases.release(taken.name, fence: taken.fence, in: db) else { return }
        _ = try Leases.acquire(former.name, holder: former.holder, owner: former.owner, in: db)
      }
      throw error
    }
  }

  /// Releases a name.
  func giveBack(_ hold: Hold, isolation: isolated (any Actor)? = #isolation) async {
    _ = try? await recorder.perform(changing: { _ in [StoredLease.self] }) {
      try Leases.release(hold.name, fence: hold.fence, in: $0)
    }
    history.workspace.announce()
    handOver(hold.name)
  }

  private func handOver(_ name: String) {
    if let next = queues[name]?.popFirst() { next.wake() } else { queues[name] = nil }
  }

  /// The interval of checks of a holder in another pid namespace, whose end is not reported here.
  private static let pause = Duration.seconds(1)

  /// Calls `body` when the process ends, or may have ended; the returned closure stops watching.
  func watchEnd(of process: ProcessIdentity, _ body: @escaping () -> Void) throws -> () -> Void {
    guard process.isVisible else {
      let timer = loop.schedule(after: Self.pause, body)
      return { [loop] in loop.cancelTimer(timer) }
    }
    let descriptor = penstock_open_process(process.pid)
    guard descriptor >= 0 else {
      body()
      return {}
    }
    let token = try loop.watch(descriptor, body)
    return { [loop] in
      loop.unwatch(token)
      close(descriptor)
    }
  }
}

import RunHistory
import Workspace

/// What operations of this host hold of the resources that all processes on a workspace share, as declared by the workspace's host.
///
/// Each share is a row that names its process for as long as it is held, so that the shares of a dead process are free. Everything an attempt needs
/// is taken in one transaction, or nothing is. *On the event loop.*
final class SharedResources: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// An operation that takes shares.
  struct Taker {
    let run: RunID
    let ordinal: Int
    let operation: String

    fileprivate var key: Key { Key(run: run, ordinal: ordinal) }
  }

  fileprivate struct Key: Hashable {
    let run: RunID
    let ordinal: Int
  }

  private let loop: EventLoop
  private let formerProcesses: FormerProcesses
  private let history: History
  private let recorder: HistoryRecorder
  private let time: HostClock
  private let locks: ExclusiveLocks
  private let watch: WorkspaceWatch
  /// The declared amounts, by key; nil until they are first needed, and again after a change.
  private var declared: [String: Int]?
  private var subscription: Subscription?
  private var holds: [Key: [Int64]] = [:]

  init(
    loop: EventLoop, history: History, recorder: HistoryRecorder, time: HostClock, locks: ExclusiveLocks,
    watch: WorkspaceWatch, formerProcesses: FormerProcesses
  ) {
    self.loop = loop
    self.history = history
    self.recorder = recorder
    self.time = time
    self.locks = locks
    self.watch = watch
    self.formerProcesses = formerProcesses
  }

  /// Returns those of the shares that the processes on the workspace have to agree on.
  ///
  /// The declarations are a few rows, which are read on the event loop when they are first needed and after each change.
  func shared(among shares: [ResourceHolds.Share]) throws -> [ResourceHolds.Share] {
    guard !shares.isEmpty else { return [] }
    if declared == nil {
      if subscription == nil {
        subscription = try history.followDeclaredResources { [weak self, loop] in
          loop.execute { [weak self] in self?.declared = nil }
        }
      }
      declared = try history.resources()
    }
    return shares.filter { declared?[$0.resource.lowercased()] != nil }
  }

  /// Takes shares. If others hold too much, takes nothing, calls `waiting`, and returns false once that may have changed.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, ``OperationFailure`` if the total capacity is insufficient, or the workspace's error.
  func take(
    _ shares: [ResourceHolds.Share], for taker: Taker, isolation: isolated (any Actor)? = #isolation,
    waiting: () -> Void, noticing: (String) -> Void
  ) async throws -> Bool {
    if try await ask(shares, for: taker, noticing: noticing) == nil { return true }
    // Subscribe before trying again, so that a release between the two is not missed.
    let waiter = LoopWaiter(loop: loop)
    let observer = watch.add(.resources) { waiter.wake() }
    defer { watch.remove(observer) }
    guard let holders = try await ask(shares, for: taker, noticing: noticing) else { return true }
    waiting()
    var endings: [() -> Void] = []
    defer { for ending in endings { ending() } }
    for owner in Set(holders.map(\.owner)) where owner != .current {
      endings.append(try locks.watchEnd(of: owner) { waiter.wake() })
      guard owner.isAlive(in: history.workspace.directory) else { return false }
    }
    guard await waiter.wait() else { throw CancellationError() }
    return false
  }

  /// Releases what an operation holds, if anything.
  func giveBack(_ run: RunID, _ ordinal: Int) {
    guard !holds.isEmpty, let numbers = holds.removeValue(forKey: Key(run: run, ordinal: ordinal)) else { return }
    recorder.record(.resourcesReleased(run, holds: numbers))
  }

  /// Tries to take the shares. Returns the holders that prevent it, or nil if the shares were taken.
  private func ask(
    _ shares: [ResourceHolds.Share], for taker: Taker, isolation: isolated (any Actor)? = #isolation,
    noticing: (String) -> Void
  ) async throws -> [ResourceHolds.Holder]? {
    let now = time.now()
    let (run, operation) = (taker.run, taker.operation)
    let (outcome, gone) = try await recorder.perform(changing: {
      (answer: (outcome: ResourceHolds.Outcome, gone: [ResourceHolds.Holder])) in
      // An unsuccessful attempt has changed nothing.
      guard answer.gone.isEmpty else { return nil }
      if case .granted = answer.outcome { return ResourceHolds.types }
      return []
    }) { db in
      let answer = try ResourceHolds.take(shares, for: run, operation: operation, at: now, in: db)
      // Their runs are fenced off, so that they cannot continue if their process was wrongly believed to have ended.
      if !answer.gone.isEmpty { try RunOwnership.markAbandoned(in: db) }
      return answer
    }
    if case .granted(let numbers) = outcome { holds[taker.key] = numbers }
    do {
      try await end(gone, noticing: noticing)
      try Task.checkCancellation()
    } catch {
      giveBack(run, taker.ordinal)
      throw error
    }
    switch outcome {
    case .granted: return nil
    case .held(let holders): return holders
    case .exceeded(let share, let amount):
      throw OperationFailure.capacityExceeded(
        share.amount, of: share.resource, host: "the host of this workspace", has: amount)
    }
  }

  /// Terminates what dead processes left running of the operations that held something. If that fails, they hold it again, so that the next to
  /// request it retries.
  private func end(
    _ gone: [ResourceHolds.Holder], isolation: isolated (any Actor)? = #isolation, noticing: (String) -> Void
  ) async throws {
    var ended: Set<RunID> = []
    for (index, holder) in gone.enumerated() where ended.insert(holder.run).inserted {
      do {
        try await formerProcesses.endLeft(of: holder.run, host: holder.owner, noticing: noticing)
      } catch {
        let (rest, now) = (Array(gone[index...]), time.now())
        try await recorder.perform { db in for holder in rest { _ = try ResourceHolds.add(holder, at: now, in: db) } }
        throw error
      }
    }
  }
}

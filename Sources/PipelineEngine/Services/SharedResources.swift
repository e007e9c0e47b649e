import RunHistory
import Workspace

/// What operations of this host hold of the resources that all processes on a workspace share, as its host has declared them.
///
/// Each share is a row with its process as long as it is held, so that what a gone process held is free. Everything an attempt needs is taken in one
/// transaction, or nothing is. *On the loop.*
final class SharedResources: @unchecked Sendable {
  // @unchecked: touched only on the loop.

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
  /// How much there is, by key; nil until somebody asks, and again when that has changed.
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

  /// Those of the shares that processes on the workspace have to agree about.
  ///
  /// What is declared is a few rows, which are read on the loop when somebody asks for the first time, and after each change.
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

  /// Takes shares. Where others hold too much, nothing is taken: returns false once that may have changed, and calls `waiting` before it waits for that.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, ``OperationFailure`` where there is less altogether, or what the workspace says.
  func take(
    _ shares: [ResourceHolds.Share], for taker: Taker, isolation: isolated (any Actor)? = #isolation,
    waiting: () -> Void, noticing: (String) -> Void
  ) async throws -> Bool {
    if try await ask(shares, for: taker, noticing: noticing) == nil { return true }
    // Listening begins before asking again, so that what is given back between the two is not missed.
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

  /// Gives back what an operation holds, if anything.
  func giveBack(_ run: RunID, _ ordinal: Int) {
    guard !holds.isEmpty, let numbers = holds.removeValue(forKey: Key(run: run, ordinal: ordinal)) else { return }
    recorder.record(.resourcesReleased(run, holds: numbers))
  }

  /// Returns who is in the way; nil where the shares are taken.
  private func ask(
    _ shares: [ResourceHolds.Share], for taker: Taker, isolation: isolated (any Actor)? = #isolation,
    noticing: (String) -> Void
  ) async throws -> [ResourceHolds.Holder]? {
    let now = time.now()
    let (run, operation) = (taker.run, taker.operation)
    let (outcome, gone) = try await recorder.perform(changing: {
      (answer: (outcome: ResourceHolds.Outcome, gone: [ResourceHolds.Holder])) in
      // Who has asked in vain has changed nothing.
      guard answer.gone.isEmpty else { return nil }
      if case .granted = answer.outcome { return ResourceHolds.types }
      return []
    }) { db in
      let answer = try ResourceHolds.take(shares, for: run, operation: operation, at: now, in: db)
      // Their runs are fenced off, lest they go on if their process was only thought to be gone.
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

  /// Ends what gone processes have left running of the operations that held something. Where that fails they hold it again, so that the next to ask tries again.
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

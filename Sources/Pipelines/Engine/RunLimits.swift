import DequeModule

/// How much may go on at once in a run: slots for what does work, and the amounts of the declared resources.
///
/// Everything an operation needs is taken in one step, so that no two operations can each hold what the other waits for. First come, first served: what is
/// asked for later never overtakes, even where it would fit. Lives on the run's executor.
final class RunLimits {
  /// What one attempt takes.
  struct Demand {
    var slots: Int
    var resources: [(resource: Int, amount: Int)]
  }

  private final class Waiter {
    let demand: Demand
    var continuation: CheckedContinuation<Bool, Never>?
    init(demand: Demand) { self.demand = demand }
  }

  private(set) var freeSlots: Int
  private var freeResources: [Int]
  private var waiters: Deque<Waiter> = []
  /// Called when the last who waited has given up, so that what is free may be taken.
  var onWithdrawal: () -> Void = {}

  init(slots: Int, resources: [Int]) {
    freeSlots = slots
    freeResources = resources
  }

  /// Whether somebody waits.
  var hasWaiters: Bool { !waiters.isEmpty }

  /// Takes what `demand` says, if it is free and nobody waits.
  func take(_ demand: Demand) -> Bool {
    guard waiters.isEmpty, fits(demand) else { return false }
    subtract(demand)
    return true
  }

  /// Waits until what `demand` says is free, and takes it. False when the task was cancelled meanwhile; then nothing was taken.
  func wait(for demand: Demand, isolation: isolated (any Actor)? = #isolation, on loop: EventLoop) async -> Bool {
    let waiter = Waiter(demand: demand)
    let reference = LoopBound((self, waiter))
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: false) }
        waiter.continuation = continuation
        waiters.append(waiter)
      }
    } onCancel: {
      loop.execute { reference.value.0.withdraw(reference.value.1) }
    }
  }

  /// Gives back what was taken. True when nobody waits, so that what is free may be taken.
  @discardableResult
  func release(_ demand: Demand) -> Bool {
    freeSlots += demand.slots
    for (resource, amount) in demand.resources { freeResources[resource] += amount }
    while let first = waiters.first, fits(first.demand) {
      waiters.removeFirst()
      subtract(first.demand)
      first.continuation?.resume(returning: true)
      first.continuation = nil
    }
    return waiters.isEmpty
  }

  private func withdraw(_ waiter: Waiter) {
    guard let continuation = waiter.continuation else { return }
    waiters.removeAll { $0 === waiter }
    waiter.continuation = nil
    continuation.resume(returning: false)
    // Whoever stood behind may fit now.
    if release(Demand(slots: 0, resources: [])) { onWithdrawal() }
  }

  private func fits(_ demand: Demand) -> Bool {
    demand.slots <= freeSlots && demand.resources.allSatisfy { freeResources[$0.resource] >= $0.amount }
  }

  private func subtract(_ demand: Demand) {
    freeSlots -= demand.slots
    for (resource, amount) in demand.resources { freeResources[resource] -= amount }
  }
}

/// Carries something of the event loop's through code that runs elsewhere, back to the loop.
struct LoopBound<Value>: @unchecked Sendable {
  // @unchecked: the value is only ever used on the loop.
  let value: Value
  init(_ value: Value) { self.value = value }
}

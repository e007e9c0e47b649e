import DequeModule

/// Limits what a run does at once: slots for active operations, and the amounts of the declared resources.
///
/// Everything an operation needs is taken in one step, from the run and from its host, so that no two operations can each hold what the other waits
/// for. First come, first served: a later request never overtakes, even if it would fit. Used only on the run's executor.
final class RunLimits {
  /// What one attempt takes.
  struct Demand {
    var slots: Int
    var resources: [(resource: Int, amount: Int)]
    /// Whether the slots also count at the host. Those of nested pipelines do not: their own operations count there, and would wait indefinitely for
    /// what the pipelines around them hold.
    var countsAtHost = true
  }

  private final class Waiter {
    let demand: Demand
    var continuation: CheckedContinuation<Bool, Never>?
    init(demand: Demand) { self.demand = demand }
  }

  private(set) var freeSlots: Int
  private var freeResources: [Int]
  private var waiters: Deque<Waiter> = []
  /// Called when free capacity may be taken: the last waiting operation has given up, or the host serves the run.
  var onWithdrawal: () -> Void = {}
  private let host: HostLimits?
  private let place: RunPlace?
  /// Whether operations around the run hold resources. At the host it then does not wait for runs that are only waiting themselves, which may wait
  /// for those resources.
  let isWithinHolder: Bool
  /// The host's counters for the run's resources.
  private let counters: [Int?]
  /// What the host has given the run for the scheduler, which has not taken it yet.
  private var granted: HostLimits.Share?

  /// Creates the limits of a run with the given slots and resource amounts; `names` determines which resources the host counts.
  init(
    slots: Int, resources: [Int], names: [String] = [], host: HostLimits? = nil, place: RunPlace? = nil,
    isWithinHolder: Bool = false
  ) {
    self.isWithinHolder = isWithinHolder
    freeSlots = slots
    freeResources = resources
    self.host = host
    self.place = place
    counters = host.map { host in names.map(host.counter) } ?? []
  }

  /// Whether any operation is waiting.
  var hasWaiters: Bool { !waiters.isEmpty }

  /// Takes `demand` if it is free and no operation is waiting.
  func take(_ demand: Demand) -> Bool {
    guard waiters.isEmpty, fits(demand), hasPlace(for: demand), takeOfHost(demand) else { return false }
    subtract(demand)
    return true
  }

  /// Waits until `demand` is free, and takes it. Returns false and takes nothing if the task was cancelled in the meantime.
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

  /// Returns what was taken. The result is true if no operation is waiting, so that free capacity may be taken.
  @discardableResult
  func release(_ demand: Demand) -> Bool {
    freeSlots += demand.slots
    for (resource, amount) in demand.resources { freeResources[resource] += amount }
    if let host { host.release(share(of: demand, of: host)) }
    serveWaiters()
    return waiters.isEmpty
  }

  private func serveWaiters() {
    while let first = waiters.first, fits(first.demand), hasPlace(for: first.demand), takeOfHost(first.demand) {
      waiters.removeFirst()
      subtract(first.demand)
      first.continuation?.resume(returning: true)
      first.continuation = nil
    }
  }

  // MARK: The host

  /// Whether the run waits for its run slot.
  var isWithoutPlace: Bool { place.map { $0.state != .held } ?? false }

  /// Notes that the run has its run slot again: serves the waiting operations, or wakes the scheduler.
  func placeGranted() {
    serveWaiters()
    if waiters.isEmpty { onWithdrawal() }
  }

  private func hasPlace(for demand: Demand) -> Bool {
    guard let place, demand.slots > 0 else { return true }
    return place.isHeld(for: self)
  }

  /// Serves the run at the host: serves the waiting operations, or takes the requested share for the scheduler and wakes it.
  func serve(_ share: HostLimits.Share) {
    guard waiters.isEmpty else { return serveWaiters() }
    guard granted == nil, freeSlots > 0, let host, host.take(share, for: self) else { return }
    granted = share
    onWithdrawal()
  }

  /// Returns to the host what the run does not need after all. Must be called when the scheduler has looked for the next operation.
  func returnGrant() {
    guard let share = granted.take() else { return }
    host?.release(share)
  }

  /// Ends the run's requests to its host.
  func close() {
    onWithdrawal = {}
    returnGrant()
    host?.leave(self)
  }

  private func share(of demand: Demand, of host: HostLimits) -> HostLimits.Share {
    var share: HostLimits.Share = []
    if demand.slots > 0, demand.countsAtHost, let counter = host.processCounter {
      share.append((counter, demand.slots))
    }
    for (resource, amount) in demand.resources {
      if resource < counters.count, let counter = counters[resource] { share.append((counter, amount)) }
    }
    return share
  }

  private func takeOfHost(_ demand: Demand) -> Bool {
    guard let host else { return true }
    let share = share(of: demand, of: host)
    guard !share.isEmpty else { return true }
    guard host.take(share, for: self, insteadOf: granted ?? []) else { return false }
    granted = nil
    return true
  }

  /// Returns the resource of which a demand needs more than the host has in total, so that it would wait indefinitely, with the amount needed and the capacity.
  func unsatisfiable(_ demand: Demand) -> (resource: Int, amount: Int, capacity: Int)? {
    guard let host else { return nil }
    for (resource, amount) in demand.resources where resource < counters.count {
      guard let capacity = counters[resource].map({ host.capacity(of: $0) }), capacity < amount else { continue }
      return (resource, amount, capacity)
    }
    return nil
  }

  private func withdraw(_ waiter: Waiter) {
    guard let continuation = waiter.continuation else { return }
    waiters.removeAll { $0 === waiter }
    waiter.continuation = nil
    continuation.resume(returning: false)
    // The operations behind it may fit now.
    guard release(Demand(slots: 0, resources: [])) else { return }
    // The host no longer reserves anything for it.
    host?.leave(self)
    onWithdrawal()
  }

  private func fits(_ demand: Demand) -> Bool {
    demand.slots <= freeSlots && demand.resources.allSatisfy { freeResources[$0.resource] >= $0.amount }
  }

  private func subtract(_ demand: Demand) {
    freeSlots -= demand.slots
    for (resource, amount) in demand.resources { freeResources[resource] -= amount }
  }
}

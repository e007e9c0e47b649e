import DequeModule

/// How much may go on at once in a run: slots for what does work, and the amounts of the declared resources.
///
/// Everything an operation needs is taken in one step, of the run and of its host, so that no two operations can each hold what the other waits for. First
/// come, first served: what is asked for later never overtakes, even where it would fit. Lives on the run's executor.
final class RunLimits {
  /// What one attempt takes.
  struct Demand {
    var slots: Int
    var resources: [(resource: Int, amount: Int)]
    /// Whether the slots count at the host, too. Those of nested pipelines do not: their own operations count there, and would wait for ever for what the
    /// pipelines around them hold.
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
  /// Called when what is free may be taken: the last who waited has given up, or it is the run's turn at its host.
  var onWithdrawal: () -> Void = {}
  private let host: HostLimits?
  private let place: RunPlace?
  /// Whether operations around the run hold resources. At the host it waits for nobody who only stands in line: they may wait for those.
  let isWithinHolder: Bool
  /// The counters of the host that the run's resources count at.
  private let counters: [Int?]
  /// What the host has given the run for the scheduler, which has not taken it yet.
  private var granted: HostLimits.Share?

  /// The limits of a run with so many slots and amounts of its resources, whose `names` tell which of them the host counts.
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

  /// Whether somebody waits.
  var hasWaiters: Bool { !waiters.isEmpty }

  /// Takes what `demand` says, if it is free and nobody waits.
  func take(_ demand: Demand) -> Bool {
    guard waiters.isEmpty, fits(demand), hasPlace(for: demand), takeOfHost(demand) else { return false }
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

  /// Whether the run waits for its place among those that go on.
  var isWithoutPlace: Bool { place.map { $0.state != .held } ?? false }

  /// The run has its place again: whoever waits is served, or the scheduler looks for who is next.
  func placeGranted() {
    serveWaiters()
    if waiters.isEmpty { onWithdrawal() }
  }

  private func hasPlace(for demand: Demand) -> Bool {
    guard let place, demand.slots > 0 else { return true }
    return place.isHeld(for: self)
  }

  /// It is the run's turn at the host: whoever waits is served; else the scheduler gets the share that it asked for, and looks for who is next.
  func serve(_ share: HostLimits.Share) {
    guard waiters.isEmpty else { return serveWaiters() }
    guard granted == nil, freeSlots > 0, let host, host.take(share, for: self) else { return }
    granted = share
    onWithdrawal()
  }

  /// Gives the host back what the run does not need after all. To be called when the scheduler has looked for who is next.
  func returnGrant() {
    guard let share = granted.take() else { return }
    host?.release(share)
  }

  /// The run has ended: it asks its host for nothing any more.
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

  /// The resource of which a demand takes more than the host has altogether, so that it would wait for ever, with how much it takes and how much there is.
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
    // Whoever stood behind may fit now.
    guard release(Demand(slots: 0, resources: [])) else { return }
    // The host keeps nothing for it any more.
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

/// Limits what all runs of a host do at once: the number of active operations, and the amounts of resources by name.
///
/// What an operation needs is taken from the host and from its run in one step, or not at all. A run whose request fails waits, with at most one
/// request, its latest; released capacity goes to the first waiting run for which it is sufficient. A waiting run prevents those behind it from
/// taking the resources that it needs, and from starting operations only while these are what it lacks: a run that waits for a licence does not delay
/// those that need none. Runs in an operation that holds resources take precedence. Used only on the event loop.
final class HostLimits {
  /// What a demand takes from the host: amounts of counters.
  typealias Share = [(counter: Int, amount: Int)]

  /// A waiting run.
  private final class Waiting {
    let run: RunLimits
    /// Its latest unsuccessful request.
    var share: Share
    /// Whether a request has failed since it was last served.
    var isUnserved = true

    init(_ run: RunLimits, _ share: Share) {
      self.run = run
      self.share = share
    }
  }

  /// The counter of active operations.
  private static let processes = 0

  private let capacity: [Int]
  private var free: [Int]
  private let isBoundingProcesses: Bool
  private let counters: [String: Int]
  private var line: [Waiting] = []
  private var isServing = false
  private var isServiceDue = false

  init(_ capacity: HostCapacity) {
    isBoundingProcesses = capacity.processes != nil
    var amounts = [max(1, capacity.processes ?? 0)]
    var counters: [String: Int] = [:]
    for (name, amount) in capacity.resources {
      counters[name.lowercased()] = amounts.count
      amounts.append(max(0, amount))
    }
    self.counters = counters
    self.capacity = amounts
    free = amounts
  }

  /// Returns the limits of a capacity, or nil if it has none, so that nothing needs to be requested.
  static func of(_ capacity: HostCapacity) -> HostLimits? {
    capacity.processes == nil && capacity.resources.isEmpty ? nil : HostLimits(capacity)
  }

  /// The number of waiting runs.
  var waitingRuns: Int { line.count }

  /// The counter of active operations, if these are limited.
  var processCounter: Int? { isBoundingProcesses ? Self.processes : nil }

  /// Returns the counter of a resource, if the host limits it.
  func counter(of resource: String) -> Int? { counters[resource.lowercased()] }

  /// Returns the capacity of a counter.
  func capacity(of counter: Int) -> Int { capacity[counter] }

  /// Takes a share for a run, or lets the run wait.
  ///
  /// - Parameters:
  ///   - share: The request.
  ///   - run: The run.
  ///   - granted: What the run already holds for this request; it is returned if the share is taken.
  /// - Returns: Whether the share was taken.
  func take(_ share: Share, for run: RunLimits, insteadOf granted: Share = []) -> Bool {
    let index = line.firstIndex { $0.run === run }
    add(granted)
    if fits(share), run.isWithinHolder || !isKept(share, by: line[..<(index ?? line.endIndex)]) {
      subtract(share)
      // While waiting runs are served, it may request more.
      if let index, !isServing { line.remove(at: index) }
      return true
    }
    subtract(granted)
    if let index {
      line[index].share = share
      line[index].isUnserved = true
    } else {
      line.append(Waiting(run, share))
    }
    return false
  }

  /// Returns a share, and serves the waiting runs.
  func release(_ share: Share) {
    add(share)
    serve()
  }

  /// Removes a waiting run that no longer needs anything.
  func leave(_ run: RunLimits) {
    guard let index = line.firstIndex(where: { $0.run === run }) else { return }
    line.remove(at: index)
    serve()
  }

  /// Serves the waiting runs whose share is free, in order.
  private func serve() {
    isServiceDue = true
    // What is released in the meantime may be for one that was passed already.
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    while isServiceDue {
      isServiceDue = false
      var kept = [Bool](repeating: false, count: free.count)
      for waiting in line {
        if fits(waiting.share), waiting.run.isWithinHolder || !waiting.share.contains(where: { kept[$0.counter] }),
          // Serving another run may have removed this one.
          line.contains(where: { $0 === waiting })
        {
          waiting.isUnserved = false
          waiting.run.serve(waiting.share)
          if !waiting.isUnserved {
            line.removeAll { $0 === waiting }
            continue
          }
        }
        for (counter, _) in waiting.share where keeps(counter, for: waiting) { kept[counter] = true }
      }
    }
  }

  /// Whether a waiting run prevents others from taking something of a share.
  private func isKept(_ share: Share, by line: ArraySlice<Waiting>) -> Bool {
    line.contains { waiting in share.contains { keeps($0.counter, for: waiting) } }
  }

  /// Whether others may not take from a counter before `waiting` has its share. The resources of a share become free one by one, and are reserved
  /// until all of them are.
  private func keeps(_ counter: Int, for waiting: Waiting) -> Bool {
    waiting.share.contains { own in
      own.counter == counter && (counter != Self.processes || free[counter] < own.amount)
    }
  }

  private func add(_ share: Share) { for (counter, amount) in share { free[counter] += amount } }

  private func subtract(_ share: Share) { for (counter, amount) in share { free[counter] -= amount } }

  private func fits(_ share: Share) -> Bool { share.allSatisfy { free[$0.counter] >= $0.amount } }
}

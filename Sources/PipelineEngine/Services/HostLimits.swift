import DequeModule

/// How much may go on at once in all runs of a host: operations at work, and the amounts of resources by name.
///
/// What an operation needs is taken of the host and of its run in one step, or not at all. A run that asks in vain stands in line, each run at most once;
/// what becomes free goes to the first in line, and as long as there is a line, nobody overtakes it. Lives on the event loop.
final class HostLimits {
  /// What a demand takes of the host: amounts of counters.
  typealias Share = [(counter: Int, amount: Int)]

  private let capacity: [Int]
  private var free: [Int]
  private let isBoundingProcesses: Bool
  private let counters: [String: Int]
  private var line: Deque<RunLimits> = []
  private var served: RunLimits?

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

  /// The limits of a capacity; nil where it bounds nothing, so that nothing is to be asked.
  static func of(_ capacity: HostCapacity) -> HostLimits? {
    capacity.processes == nil && capacity.resources.isEmpty ? nil : HostLimits(capacity)
  }

  /// How many runs stand in line.
  var waitingRuns: Int { line.count }

  /// The counter of operations at work, where these are bounded.
  var processCounter: Int? { isBoundingProcesses ? 0 : nil }

  /// The counter of a resource, where the host bounds it.
  func counter(of resource: String) -> Int? { counters[resource.lowercased()] }

  /// How much the host has of what a counter counts.
  func capacity(of counter: Int) -> Int { capacity[counter] }

  /// Takes a share for a run, or puts the run in line.
  func take(_ share: Share, for run: RunLimits) -> Bool {
    if served === run || line.isEmpty, fits(share) {
      for (counter, amount) in share { free[counter] -= amount }
      return true
    }
    if !line.contains(where: { $0 === run }) { line.append(run) }
    return false
  }

  /// Gives a share back, and serves those in line.
  func release(_ share: Share) {
    for (counter, amount) in share { free[counter] += amount }
    serve()
  }

  /// Takes a run out of the line, which wants nothing any more.
  func leave(_ run: RunLimits) {
    let wasFirst = line.first === run
    line.removeAll { $0 === run }
    if wasFirst { serve() }
  }

  private func serve() {
    guard served == nil else { return }
    defer { served = nil }
    while let first = line.popFirst() {
      served = first
      first.serve()
      // One that asked in vain is in line again, and stays the first.
      guard line.last === first else { continue }
      line.removeLast()
      line.prepend(first)
      return
    }
  }

  private func fits(_ share: Share) -> Bool { share.allSatisfy { free[$0.counter] >= $0.amount } }
}

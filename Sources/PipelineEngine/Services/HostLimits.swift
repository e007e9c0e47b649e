/// How much may go on at once in all runs of a host: operations at work, and the amounts of resources by name.
///
/// What an operation needs is taken of the host and of its run in one step, or not at all. A run that asks in vain stands in line, each run at most once, for what it asked for last; what
/// becomes free goes to the first in line that it is enough for. A run in line keeps those behind it from the resources that it wants, and from processes only while these are what it lacks:
/// whoever waits for a licence does not hold up those who need none. Runs in an operation that holds resources go before the line. Lives on the event loop.
final class HostLimits {
  /// What a demand takes of the host: amounts of counters.
  typealias Share = [(counter: Int, amount: Int)]

  /// A run in line.
  private final class Waiting {
    let run: RunLimits
    /// What it asked for in vain.
    var share: Share
    /// Whether it has asked in vain since it was served last.
    var isUnserved = true

    init(_ run: RunLimits, _ share: Share) {
      self.run = run
      self.share = share
    }
  }

  /// The counter of operations at work.
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

  /// The limits of a capacity; nil where it bounds nothing, so that nothing is to be asked.
  static func of(_ capacity: HostCapacity) -> HostLimits? {
    capacity.processes == nil && capacity.resources.isEmpty ? nil : HostLimits(capacity)
  }

  /// How many runs stand in line.
  var waitingRuns: Int { line.count }

  /// The counter of operations at work, where these are bounded.
  var processCounter: Int? { isBoundingProcesses ? Self.processes : nil }

  /// The counter of a resource, where the host bounds it.
  func counter(of resource: String) -> Int? { counters[resource.lowercased()] }

  /// How much the host has of what a counter counts.
  func capacity(of counter: Int) -> Int { capacity[counter] }

  /// Takes a share for a run, or puts the run in line.
  ///
  /// - Parameters:
  ///   - share: What the run asks for.
  ///   - run: The run.
  ///   - granted: What the run holds already in order to ask for this: it is given back where the share is taken.
  /// - Returns: Whether it was taken.
  func take(_ share: Share, for run: RunLimits, insteadOf granted: Share = []) -> Bool {
    let index = line.firstIndex { $0.run === run }
    add(granted)
    if fits(share), run.isWithinHolder || !isKept(share, by: line[..<(index ?? line.endIndex)]) {
      subtract(share)
      // While those in line are served, it may ask for more.
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

  /// Gives a share back, and serves those in line.
  func release(_ share: Share) {
    add(share)
    serve()
  }

  /// Takes a run out of the line, which wants nothing any more.
  func leave(_ run: RunLimits) {
    guard let index = line.firstIndex(where: { $0.run === run }) else { return }
    line.remove(at: index)
    serve()
  }

  /// Serves those in line, in order, whose share is free.
  private func serve() {
    isServiceDue = true
    // What is given back meanwhile may be for one that was passed already.
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    while isServiceDue {
      isServiceDue = false
      var kept = [Bool](repeating: false, count: free.count)
      for waiting in line {
        if fits(waiting.share), waiting.run.isWithinHolder || !waiting.share.contains(where: { kept[$0.counter] }),
          // Another one that was served may have taken it out.
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

  /// Whether somebody in line keeps others from something of a share.
  private func isKept(_ share: Share, by line: ArraySlice<Waiting>) -> Bool {
    line.contains { waiting in share.contains { keeps($0.counter, for: waiting) } }
  }

  /// Whether others may not take of a counter before `waiting` has its share. The resources of a share become free one by one, and are kept until all are.
  private func keeps(_ counter: Int, for waiting: Waiting) -> Bool {
    waiting.share.contains { own in
      own.counter == counter && (counter != Self.processes || free[counter] < own.amount)
    }
  }

  private func add(_ share: Share) { for (counter, amount) in share { free[counter] += amount } }

  private func subtract(_ share: Share) { for (counter, amount) in share { free[counter] -= amount } }

  private func fits(_ share: Share) -> Bool { share.allSatisfy { free[$0.counter] >= $0.amount } }
}

/// The loops of a run that end early after a number of failed items. Each item counts once, when it has failed permanently.
struct LoopEndings {
  /// The number of failed items of each loop.
  private var failures: [Int: Int] = [:]
  /// The tasks of the items that have their own, which may be cancelled when their loop ends.
  private(set) var tasks: [Int: Task<Void, Never>] = [:]

  /// Returns how many items of a loop have failed.
  func failures(of loop: Int) -> Int { failures[loop] ?? 0 }

  /// Begins a loop of which `count` items failed under former hosts.
  mutating func begin(_ loop: Int, failures count: Int) { failures[loop] = count }

  /// Counts a failed item.
  mutating func noteFailure(of loop: Int) { failures[loop, default: 0] += 1 }

  /// Removes a loop whose items have all ended.
  mutating func end(_ loop: Int) { failures[loop] = nil }

  /// Adds the task in which an item is about to run.
  mutating func add(_ task: Task<Void, Never>, of item: Int) { tasks[item] = task }

  /// Removes the task of an item that has ended.
  mutating func removeTask(of item: Int) { tasks[item] = nil }
}

/// The loops of a run that a number of failed items ends early: each item counts once, when it has failed for good.
struct LoopEndings {
  /// How many items have failed, by loop.
  private var failures: [Int: Int] = [:]
  /// The items that have a task of their own, which the end of their loop may cancel.
  private(set) var tasks: [Int: Task<Void, Never>] = [:]

  /// How many items of a loop have failed.
  func failures(of loop: Int) -> Int { failures[loop] ?? 0 }

  /// A loop begins, of which former hosts have seen so many items fail.
  mutating func begin(_ loop: Int, failures count: Int) { failures[loop] = count }

  /// An item has failed.
  mutating func noteFailure(of loop: Int) { failures[loop, default: 0] += 1 }

  /// All items of a loop have ended.
  mutating func end(_ loop: Int) { failures[loop] = nil }

  /// An item is about to run in a task of its own.
  mutating func add(_ task: Task<Void, Never>, of item: Int) { tasks[item] = task }

  /// An item has ended.
  mutating func removeTask(of item: Int) { tasks[item] = nil }
}

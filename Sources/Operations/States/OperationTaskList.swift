/// The active tasks of a state, in the order in which they started.
///
/// Mostly there is none or one, which takes no memory beside the list.
public struct OperationTaskList<Value: Sendable, Failure: Error>: Sendable, RandomAccessCollection {
  private enum Storage: Sendable {
    case none
    case one(OperationTask<Value, Failure>)
    case many([OperationTask<Value, Failure>])
  }

  private var storage = Storage.none

  /// A list without tasks.
  public init() {}

  /// Where the tasks begin: 0.
  public var startIndex: Int { 0 }

  /// The number of tasks.
  public var endIndex: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .many(let tasks): tasks.count
    }
  }

  /// The task at `position`, from 0, which started before those after it.
  public subscript(position: Int) -> OperationTask<Value, Failure> {
    switch storage {
    case .none: preconditionFailure("an empty list has no task \(position)")
    case .one(let task):
      precondition(position == 0, "a list of one task has no task \(position)")
      return task
    case .many(let tasks): return tasks[position]
    }
  }

  /// Adds a task at the end.
  public mutating func append(_ task: OperationTask<Value, Failure>) {
    switch storage {
    case .none: storage = .one(task)
    case .one(let first): storage = .many([first, task])
    case .many(let tasks): storage = .many(tasks + [task])
    }
  }

  /// Removes `task`.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  public mutating func remove(_ task: OperationTask<Value, Failure>) -> Bool {
    switch storage {
    case .none:
      return false
    case .one(let only):
      guard only == task else { return false }
      storage = .none
      return true
    case .many(var tasks):
      guard let index = tasks.firstIndex(of: task) else { return false }
      tasks.remove(at: index)
      storage = tasks.count == 1 ? .one(tasks[0]) : .many(tasks)
      return true
    }
  }

  /// Removes all tasks and returns them.
  mutating func removeAll() -> [OperationTask<Value, Failure>] {
    defer { storage = .none }
    return Array(self)
  }
}

/// The active tasks of a state, in the order in which they started.
///
/// Mostly there is none or one, which takes no memory beside the list.
public struct OperationTaskList<Value: Sendable, Failure: Error>: Sendable, RandomAccessCollection {
  @usableFromInline var cores = OperationTaskNodeList()

  /// A list without tasks.
  @inlinable
  public init() {}

  /// Whether there are no tasks.
  @inlinable
  public var isEmpty: Bool { cores.isEmpty }

  /// Where the tasks begin: 0.
  public var startIndex: Int { 0 }

  /// The number of tasks.
  public var endIndex: Int { cores.count }

  /// The task at `position`, from 0, which started before those after it.
  public subscript(position: Int) -> OperationTask<Value, Failure> {
    // Only `append` adds to the list, and it takes no other type.
    OperationTask(core: unsafeDowncast(cores[position], to: OperationTaskCore<Value, Failure>.self))
  }

  /// Whether `task` is in the list.
  @inlinable
  public func contains(_ task: OperationTask<Value, Failure>) -> Bool { cores.contains(task.core) }

  /// Adds a task at the end.
  @inlinable
  public mutating func append(_ task: OperationTask<Value, Failure>) {
    cores.append(task.core)
  }

  /// Removes `task`.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  @inlinable
  public mutating func remove(_ task: OperationTask<Value, Failure>) -> Bool {
    cores.remove(task.core)
  }

  /// Removes all tasks and returns them.
  mutating func removeAll() -> [OperationTask<Value, Failure>] {
    defer { cores = OperationTaskNodeList() }
    return Array(self)
  }
}

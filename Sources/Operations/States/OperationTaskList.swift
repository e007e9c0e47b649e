/// The active tasks of a state, in the order in which they started.
///
/// Usually there is none or one, which needs no memory besides the list.
public struct OperationTaskList<Value: Sendable, Failure: Error>: Sendable, RandomAccessCollection {
  @usableFromInline var cores = OperationTaskNodeList()

  /// Creates an empty list.
  @inlinable
  public init() {}

  /// Whether there are no tasks.
  @inlinable
  public var isEmpty: Bool { cores.isEmpty }

  /// The index of the first task: 0.
  public var startIndex: Int { 0 }

  /// The number of tasks.
  public var endIndex: Int { cores.count }

  /// The task at `position`, from 0; it started before those after it.
  public subscript(position: Int) -> OperationTask<Value, Failure> {
    // Only `append` adds to the list, and it accepts no other type.
    OperationTask(core: unsafeDowncast(cores[position], to: OperationTaskCore<Value, Failure>.self))
  }

  /// Returns whether `task` is in the list.
  @inlinable
  public func contains(_ task: OperationTask<Value, Failure>) -> Bool { cores.contains(task.core) }

  /// Appends a task.
  @inlinable
  public mutating func append(_ task: OperationTask<Value, Failure>) {
    cores.append(task.core)
  }

  /// Removes `task`.
  ///
  /// - Returns: Whether it was in the list.
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

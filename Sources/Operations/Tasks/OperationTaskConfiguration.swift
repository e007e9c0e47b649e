/// How the concurrency runtime treats the task that executes a run.
public struct OperationTaskConfiguration: Sendable {
  /// The name of the task in debuggers and profiles; nil, the default, leaves it unnamed.
  public var name: String?
  /// The priority of the task; nil, the default, inherits that of its starter.
  public var priority: TaskPriority?
  /// The executor of the task; nil, the default, means the global executor.
  public var executorPreference: (any TaskExecutor)?

  /// Creates a configuration; by default one that leaves everything to the runtime.
  public init(
    name: String? = nil, priority: TaskPriority? = nil, executorPreference: (any TaskExecutor)? = nil
  ) {
    self.name = name
    self.priority = priority
    self.executorPreference = executorPreference
  }

  /// Starts a task with this configuration: an immediate one starts on the calling thread, before this returns, and
  /// stays there until its first suspension.
  func start(immediately isImmediate: Bool, _ body: sending @escaping () async -> Void) -> Task<Void, Never> {
    if isImmediate {
      Task.immediate(name: name, priority: priority, executorPreference: executorPreference, operation: body)
    } else {
      Task(name: name, executorPreference: executorPreference, priority: priority, operation: body)
    }
  }
}

extension OperationContext {
  private enum TaskConfigurationKey: Key {
    static let defaultValue: OperationTaskConfiguration? = nil
  }

  /// Whether the entry below has been set, perhaps to nil: cheaper than reading it.
  var hasTaskConfiguration: Bool { hasValue(for: TaskConfigurationKey.self) }

  /// The configuration of the tasks of a store's runs; nil, the default, leaves everything to the runtime.
  public var operationTaskConfiguration: OperationTaskConfiguration? {
    get { self[TaskConfigurationKey.self] }
    set { self[TaskConfigurationKey.self] = newValue }
  }
}

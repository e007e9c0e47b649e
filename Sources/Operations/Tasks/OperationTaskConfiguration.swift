/// How the concurrency runtime shall treat the task that a run executes in.
public struct OperationTaskConfiguration: Sendable {
  /// What debuggers and profiles call the task; nil, the default, names nothing.
  public var name: String?
  /// How urgent the task is; nil, the default, inherits the priority of whoever starts it.
  public var priority: TaskPriority?
  /// Where the task runs; nil, the default, is the global executor.
  public var executorPreference: (any TaskExecutor)?

  /// A configuration; by default one that leaves everything to the runtime.
  public init(
    name: String? = nil, priority: TaskPriority? = nil, executorPreference: (any TaskExecutor)? = nil
  ) {
    self.name = name
    self.priority = priority
    self.executorPreference = executorPreference
  }

  /// Starts a task of this configuration: an immediate one begins on the calling thread, before this returns, and stays
  /// there up to its first suspension.
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

  /// Whether somebody has set the entry below, to nil perhaps: takes less than reading it.
  var hasTaskConfiguration: Bool { hasValue(for: TaskConfigurationKey.self) }

  /// How the tasks of a store's runs are treated; nil, the default, leaves it to the runtime.
  public var operationTaskConfiguration: OperationTaskConfiguration? {
    get { self[TaskConfigurationKey.self] }
    set { self[TaskConfigurationKey.self] = newValue }
  }
}

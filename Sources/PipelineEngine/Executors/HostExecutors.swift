import PipelineLanguage

/// The executors of a host: for the processes of operations, and for those that have to be on this computer.
struct HostExecutors {
  /// Runs the processes of operations that name no executor.
  let jobs: any Executor
  /// Runs processes on this computer, including those that read secrets.
  let local: LocalExecutor
  /// The executors that operations can name, besides `local`.
  private let named: [String: any Executor]
  /// Whether operations run where they would without naming an executor.
  private let isOverridden: Bool

  /// - Parameters:
  ///   - local: Runs processes on this computer.
  ///   - jobs: Runs the processes of operations. Default nil: the same executor.
  ///   - named: The executors that operations can name. Default: none.
  ///   - isOverridden: Whether what operations name is ignored. Default: false.
  init(
    local: LocalExecutor, jobs: (any Executor)?, named: [any Executor] = [], isOverridden: Bool = false
  ) {
    self.local = local
    self.jobs = jobs ?? local
    self.isOverridden = isOverridden
    self.named = Dictionary(named.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Returns the executor of an operation. If it names one that this host does not have, it never begins: see ``missing(for:)``.
  func executor(of operation: OperationDefinition) -> any Executor {
    guard let use = operation.executor, !use.isLocal, !isOverridden, let name = use.name else { return jobs }
    return named[name] ?? jobs
  }

  /// Returns the name of the executor that an operation names and this host does not have; nil if it has it.
  func missing(for operation: OperationDefinition) -> String? {
    guard let use = operation.executor, !use.isLocal, !isOverridden, let name = use.name else { return nil }
    return named[name] == nil ? name : nil
  }

  /// The executors that may have started something for a run: processes started by plugin operations, and those that read secrets, are on this
  /// computer wherever jobs run.
  var all: [any Executor] { (jobs === local ? [local] : [local, jobs]) + named.values }

  /// Their names, by which the history knows them.
  var names: [String] { all.map(\.name) }
}

import PipelineEngine
import PipelineLanguage
import RunHistory
import Workspace

/// The host over one workspace, for a program that decides with this module what runs in it. Any thread.
package struct RunService: Sendable {
  /// What a service is opened with.
  package struct Configuration: Sendable {
    /// What the pipelines' `uses` may reach; the same that they were loaded with.
    package var plugins: PluginSource
    /// What the end of a run survives once it is reported.
    package var durability: Durability
    /// Whether the host notes when, and in which order, logs grow. Default: true.
    package var keepsLogTimes: Bool
    /// What all runs may have going on at once. Default: no bounds but those of each run.
    package var capacity = HostCapacity()
    /// What processes of operations inherit. Default nil: the environment of this process.
    package var environment: [String: String]?
    /// Where secrets of the environment are looked up. Default nil: in the environment of this process.
    package var secretEnvironment: [String: String]?
    /// What becomes of records that cannot be written, and who is told. Default: the runs are cancelled.
    package var writing = Writing()
    /// How long a transaction waits for one of another process. Default: 30 s.
    package var patience = Duration.seconds(30)
    /// The clock and the random numbers, for tests.
    package var testing: TestingConditions

    package init(
      plugins: PluginSource, durability: Durability, keepsLogTimes: Bool = true, testing: TestingConditions
    ) {
      self.plugins = plugins
      self.durability = durability
      self.keepsLogTimes = keepsLogTimes
      self.testing = testing
    }
  }

  /// What a host does while its history cannot be written.
  package struct Writing: Sendable {
    package var policy = WriteFailurePolicy.cancel
    /// Told at once, and then each minute.
    package var onFailure: @Sendable (WriteFailure) -> Void = { _ in }
    package var onRecovery: @Sendable (WriteFailure) -> Void = { _ in }
    /// Told of operations that wait for a descriptor, a thread or memory.
    package var onShortage: @Sendable (ResourceShortage) -> Void = { _ in }

    package init() {}
  }

  /// How many operations of a run without `concurrency` are at work at once in a host of this computer: the processors that this process may run on.
  package static let processors = HostConfiguration().processors

  package let host: RunHost

  /// What has been recorded.
  package var history: History { host.history }

  /// Opens the workspace, which is created when it is missing.
  ///
  /// - Throws: `WorkspaceError`, or `EngineError` when the process is out of descriptors or threads.
  package init(creatingAt location: WorkspaceLocation, _ configuration: Configuration) throws {
    var conditions = configuration.testing.configuration()
    conditions.keepsLogTimes = configuration.keepsLogTimes
    conditions.capacity = configuration.capacity
    conditions.whenWritingFails = configuration.writing.policy
    conditions.onWriteFailure = configuration.writing.onFailure
    conditions.onWriteRecovery = configuration.writing.onRecovery
    conditions.onShortage = configuration.writing.onShortage
    if configuration.environment != nil || configuration.secretEnvironment != nil {
      conditions.secretEnvironment = configuration.secretEnvironment ?? conditions.environment
    }
    if let environment = configuration.environment { conditions.environment = environment }
    host = try RunHost.open(
      workspace: location.path, plugins: configuration.plugins, durability: configuration.durability,
      configuration: conditions, patience: configuration.patience)
  }

  /// Opens the workspace, which must be there: for what goes on from a former run.
  ///
  /// - Throws: ``WorkspaceMissing``, `WorkspaceError` or `EngineError`.
  package init(at location: WorkspaceLocation, _ configuration: Configuration) throws {
    try location.requireDatabase()
    try self.init(creatingAt: location, configuration)
  }

  /// Makes this process the parent of whatever operations leave behind, which a program decides on.
  package static func adoptOrphans() { RunHost.adoptOrphans() }

  /// Runs a pipeline to its end; see `RunHost.run`.
  package func run(
    _ start: RunStart, recordedAs record: RunRecord? = nil, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    try await host.run(
      start.pipeline, options: start.options, recordedAs: record, events: events, onEvent: onEvent)
  }

  /// Resumes a run, because `requester` asks for it; see `RunHost.resume`.
  ///
  /// - Throws: ``RunStartError/stillInterrupted(short:code:reason:)`` where nothing of the run was touched, and what `RunHost.resume` throws.
  package func resume(
    _ run: ResumedRun, for requester: Requester? = nil, version: String, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    do {
      return try await host.resume(
        run.record.id, for: requester, version: version, events: events, onEvent: onEvent)
    } catch let error as EngineError {
      throw run.error(for: error)
    }
  }

  /// Says what the program cancels its runs for: a signal that it got.
  package func attributeCancellations(to canceller: RunCanceller) { host.attributeCancellations(to: canceller) }

  /// Kills every process that is running, at once.
  package func kill() { host.kill() }

  /// The program is about to be stopped by its terminal, or goes on.
  package func noticeForeground(isStopping: Bool) { host.noticeForeground(isStopping: isStopping) }

  /// Makes everything durable, closes the workspace and ends the event loop. Runs must have ended.
  package func close() async throws { try await host.close() }

  /// For a program that ends now, in place of ``close()``.
  package func finish() async throws { try await host.finish() }
}

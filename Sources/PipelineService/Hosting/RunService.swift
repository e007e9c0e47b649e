import PipelineEngine
import PipelineLanguage
import RunHistory
import Workspace

/// The host over one workspace, for a program that uses this module to decide what runs in it. Any thread.
package struct RunService: Sendable {
  /// The configuration of a service.
  package struct Configuration: Sendable {
    /// The plugins available to the pipelines' `uses`; the same source that they were loaded with.
    package var plugins: PluginSource
    /// What the end of a run survives once it is reported.
    package var durability: Durability
    /// Whether the host records when, and in which order, logs grow. Default: true.
    package var keepsLogTimes: Bool
    /// The limits on concurrent work across all runs. Default: only those of each run.
    package var capacity = HostCapacity()
    /// The environment that the processes of operations inherit. Default nil: that of this process.
    package var environment: [String: String]?
    /// Where secrets are looked up by the name of an environment variable. Default nil: in the environment of this process.
    package var secretEnvironment: [String: String]?
    /// What happens when records cannot be written, and which callbacks are notified. Default: the runs are cancelled.
    package var writing = Writing()
    /// How long a transaction waits for one of another process. Default: 30 s.
    package var patience = Duration.seconds(30)
    /// Whether operations that name an executor run on this computer nevertheless. Default: false.
    package var runsEverythingHere = false
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
    /// Called immediately, and then every minute.
    package var onFailure: @Sendable (WriteFailure) -> Void = { _ in }
    package var onRecovery: @Sendable (WriteFailure) -> Void = { _ in }
    /// Called when operations wait for a descriptor, a thread or memory.
    package var onShortage: @Sendable (ResourceShortage) -> Void = { _ in }

    package init() {}
  }

  /// How many operations of a run without `concurrency` run at once in a host on this computer: the number of processors available to this process.
  package static let processors = HostConfiguration().processors

  package let host: RunHost

  /// The recorded history.
  package var history: History { host.history }

  /// Opens the workspace, creating it if it does not exist.
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
    conditions.runsEverythingHere = configuration.runsEverythingHere
    // A pipeline that uses an executor was checked against the file when it was loaded, with all findings.
    conditions.site = SiteDefinition.find(workspace: location.path).site
    if configuration.environment != nil || configuration.secretEnvironment != nil {
      conditions.secretEnvironment = configuration.secretEnvironment ?? conditions.environment
    }
    if let environment = configuration.environment { conditions.environment = environment }
    host = try RunHost.open(
      workspace: location.path, plugins: configuration.plugins, durability: configuration.durability,
      configuration: conditions, patience: configuration.patience)
  }

  /// Opens the workspace, which must exist: for work that builds on a former run.
  ///
  /// - Throws: ``WorkspaceMissing``, `WorkspaceError` or `EngineError`.
  package init(at location: WorkspaceLocation, _ configuration: Configuration) throws {
    try location.requireDatabase()
    try self.init(creatingAt: location, configuration)
  }

  /// Makes this process the parent of whatever operations leave behind; the program decides whether to.
  package static func adoptOrphans() { RunHost.adoptOrphans() }

  /// Runs a pipeline to its end; see `RunHost.run`.
  package func run(
    _ start: RunStart, recordedAs record: RunRecord? = nil, events: RunEventRange = .all,
    onEvent: (@Sendable (RunEvent) -> Void)? = nil
  ) async throws -> RunOutcome {
    try await host.run(
      start.pipeline, options: start.options, recordedAs: record, events: events, onEvent: onEvent)
  }

  /// Resumes a run on behalf of `requester`; see `RunHost.resume`.
  ///
  /// - Throws: ``RunStartError/stillInterrupted(short:code:reason:)`` if the run was left untouched, or whatever `RunHost.resume` throws.
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

  /// Records why the program cancels its runs: a signal that it received.
  package func attributeCancellations(to canceller: RunCanceller) { host.attributeCancellations(to: canceller) }

  /// Kills all running processes immediately.
  package func kill() { host.kill() }

  /// Notifies the host that the program is about to be stopped by its terminal, or has been continued.
  package func noticeForeground(isStopping: Bool) { host.noticeForeground(isStopping: isStopping) }

  /// Makes everything durable, closes the workspace and stops the event loop. All runs must have ended.
  package func close() async throws { try await host.close() }

  /// Closes the service of a program that is about to exit, in place of ``close()``.
  package func finish() async throws { try await host.finish() }
}

import PipelineLanguage
import RunHistory

/// The jobs of one run and their log files: those prepared before their slot is free, those running, and those that a former host left. *On the event loop.*
final class RunJobs {
  /// The environment that all of them on this computer share. Computed for the first of them, because most runs that only compute values never need it.
  private lazy var environment = RunEnvironment(variables(inherited))
  /// The environments of jobs elsewhere, by executor.
  private var elsewhere: [String: RunEnvironment] = [:]
  /// The prepared jobs, by operation.
  var prepared: [Int: Job] = [:]
  /// The running jobs, by operation.
  var running: [Int: JobHandle] = [:]
  /// The jobs of a former host, by operation, until they are adopted: their attempts continue instead of starting anew.
  var former: [Int: FormerJob] = [:]
  /// The files that they write their logs to.
  let logs: LogFilePool
  /// The processes that read the secrets of the run.
  private var secretProcesses: Set<Int32> = []
  private let executors: HostExecutors
  private let inherited: ProcessEnvironment
  private let run: RunProgress
  private let secrets: RunSecrets

  init(of run: RunProgress, secrets: RunSecrets, services: HostServices, logs: LogFilePool) {
    self.run = run
    self.secrets = secrets
    self.logs = logs
    executors = services.executors
    inherited = services.inherited
  }

  private var local: LocalExecutor { executors.local }

  private func executor(_ ordinal: Int) -> any Executor {
    executors.executor(of: run.instances[ordinal].node.definition)
  }

  /// Returns the environment that all jobs of an executor share.
  func environment(at executor: any Executor) -> RunEnvironment {
    guard let inherited = executor.inherited(from: inherited) else { return environment }
    if let known = elsewhere[executor.name] { return known }
    var values = variables(inherited)
    // A node may be this computer: whatever has this variable there is taken for a process that a former host has left behind.
    values["PENSTOCK_RUN_ID"] = nil
    let made = RunEnvironment(values)
    elsewhere[executor.name] = made
    return made
  }

  private func variables(_ inherited: ProcessEnvironment) -> ProcessEnvironment {
    var values = inherited
    // A process that was not given the secret must not inherit it.
    for name in secrets.hiddenVariables { values[name] = nil }
    for variable in run.given.environment { values[variable.name] = variable.value }
    values["PENSTOCK_RUN_ID"] = run.id.text
    values["PENSTOCK_WORKSPACE"] = run.given.workspace
    values["PENSTOCK_RUN_DIR"] = RunFolder.path(of: run.id, in: run.given.workspace)
    return values
  }

  /// Discards what was prepared for an attempt that never began.
  func discardPrepared(_ ordinal: Int) {
    if let job = prepared.removeValue(forKey: ordinal) { executor(ordinal).discard(job) }
  }

  /// Releases what is kept for attempts that have yet to begin, because others lack it.
  func giveBackSpares() {
    for ordinal in Array(prepared.keys) { discardPrepared(ordinal) }
    logs.giveBackSpares()
  }

  /// Notes that a process that reads a secret has started or ended.
  func noteSecretProcess(_ pid: Int32, isRunning: Bool) {
    if isRunning { secretProcesses.insert(pid) } else { secretProcesses.remove(pid) }
  }

  /// Returns when the process of an operation's job started, or nil if it has no running process.
  func started(_ ordinal: Int) -> Int64? { running[ordinal].flatMap(local.started) }

  /// Kills everything that is running.
  func kill() {
    for (ordinal, handle) in running { executor(ordinal).stop([handle], grace: .zero) }
    local.runner.kill(secretProcesses)
  }

  /// Stops the jobs of a former host that the run has not adopted by its end.
  func stopFormer() {
    for (ordinal, job) in former where ordinal < run.instances.count {
      executor(ordinal).stop([job.handle], grace: run.instances[ordinal].node.definition.grace)
    }
    former = [:]
  }
}

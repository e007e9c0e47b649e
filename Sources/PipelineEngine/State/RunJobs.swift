import PipelineLanguage
import RunHistory

/// The jobs of one run with the files of their logs: those made ready before their slot is free, those that go on, and those that a former host has left. *On the loop.*
final class RunJobs {
  /// What all of them find in their environment. Made for the first of them: most runs of values alone never need it.
  private(set) lazy var environment = RunEnvironment(variables())
  /// Made ready, by operation.
  var prepared: [Int: Job] = [:]
  /// Those that go on, by operation.
  var running: [Int: JobHandle] = [:]
  /// Those of a former host, by operation, until they are asked for: their attempts go on, and are no new ones.
  var former: [Int: FormerJob] = [:]
  /// The files that they write their logs to.
  let logs: LogFilePool
  /// The processes that read the secrets of the run.
  private var secretProcesses: Set<Int32> = []
  private let executor: any Executor
  private let local: LocalExecutor
  private let inherited: ProcessEnvironment
  private let run: RunProgress
  private let secrets: RunSecrets

  init(of run: RunProgress, secrets: RunSecrets, services: HostServices, logs: LogFilePool) {
    self.run = run
    self.secrets = secrets
    self.logs = logs
    executor = services.executors.jobs
    local = services.executors.local
    inherited = services.inherited
  }

  private func variables() -> ProcessEnvironment {
    var values = inherited
    // A process that was not given the secret must not find it in what it inherits.
    for name in secrets.hiddenVariables { values[name] = nil }
    for variable in run.given.environment { values[variable.name] = variable.value }
    values["PENSTOCK_RUN_ID"] = run.id.text
    values["PENSTOCK_WORKSPACE"] = run.given.workspace
    values["PENSTOCK_RUN_DIR"] = RunFolder.path(of: run.id, in: run.given.workspace)
    return values
  }

  /// Gives back what was made ready for an attempt that never came.
  func discardPrepared(_ ordinal: Int) {
    if let job = prepared.removeValue(forKey: ordinal) { executor.discard(job) }
  }

  /// Gives back what is there for attempts that have yet to begin: others lack it.
  func giveBackSpares() {
    for ordinal in Array(prepared.keys) { discardPrepared(ordinal) }
    logs.giveBackSpares()
  }

  /// A process that reads a secret has started, or ended.
  func noteSecretProcess(_ pid: Int32, isRunning: Bool) {
    if isRunning { secretProcesses.insert(pid) } else { secretProcesses.remove(pid) }
  }

  /// When the process of an operation's job started; nil where it has none, or none any more.
  func started(_ ordinal: Int) -> Int64? { running[ordinal].flatMap(local.started) }

  /// Ends all that goes on, at once.
  func kill() {
    executor.stop(Array(running.values), grace: .zero)
    local.runner.kill(secretProcesses)
  }

  /// The run has ended: what a former host has started, and this one never came to, goes on for nobody.
  func stopFormer() {
    for (ordinal, job) in former where ordinal < run.instances.count {
      executor.stop([job.handle], grace: run.instances[ordinal].node.definition.grace)
    }
    former = [:]
  }
}

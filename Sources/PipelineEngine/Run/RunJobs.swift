import PipelineLanguage
import RunHistory

/// The jobs of one run: those made ready before their slot is free, those that go on, and those that a former host has left. *On the loop.*
final class RunJobs {
  /// What all of them find in their environment.
  var environment = RunEnvironment()
  /// Made ready, by operation.
  var prepared: [Int: Job] = [:]
  /// Those that go on, by operation.
  var running: [Int: JobHandle] = [:]
  /// Those of a former host, by operation, until they are asked for: their attempts go on, and are no new ones.
  var former: [Int: FormerJob] = [:]
  /// The processes that read the secrets of the run.
  private var secretProcesses: Set<Int32> = []
  private let executor: any Executor
  private let local: LocalExecutor

  init(services: HostServices) {
    executor = services.executor
    local = services.local
  }

  /// Gives back what was made ready for an attempt that never came.
  func discardPrepared(_ ordinal: Int) {
    if let job = prepared.removeValue(forKey: ordinal) { executor.discard(job) }
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
}

import Operations
import PipelineLanguage
import RunHistory

/// What the runs of one host share, created before its first run.
final class HostServices: @unchecked Sendable {
  // @unchecked: its mutable parts (limits, locks, routers) are accessed only on the event loop.

  let loop: EventLoop
  let configuration: HostConfiguration
  let time: HostClock
  /// The clock, delayer and random source for every operation.
  let context: OperationContext
  let history: History
  let recorder: HistoryRecorder
  let writing: HistoryWriting
  let shortages: ShortageLine
  let executors: HostExecutors
  let shared: SharedCapacity
  let requests: RequestRouter
  let environment: HostEnvironment
  let observations: Observations
  let http: HTTPHost
  let plugins: PluginServices

  init(
    loop: EventLoop, history: History, recorder: HistoryRecorder,
    configuration: HostConfiguration = HostConfiguration(), plugins source: PluginSource = .none
  ) {
    self.loop = loop
    self.history = history
    self.recorder = recorder
    self.configuration = configuration
    let time = HostClock(configuration.clock, sinceBoot: configuration.sinceBoot?())
    self.time = time
    context = configuration.context(loop: loop)
    writing = HistoryWriting(
      loop: loop, recorder: recorder, time: time, delayer: context.operationDelayer,
      workspace: history.workspace.directory, configuration: configuration)
    shortages = ShortageLine(
      loop: loop, time: time, delayer: context.operationDelayer, onShortage: configuration.onShortage)
    let local = LocalExecutor(
      loop: loop, time: time, keepsLogTimes: configuration.keepsLogTimes, leavesReserve: writing.isHolding)
    let clusters = (configuration.site?.clusters ?? []).map {
      SlurmExecutor(
        $0, local: local, time: time, inherited: configuration.ownVariables, directory: configuration.directory,
        patience: configuration.clusterPatience)
    }
    executors = HostExecutors(
      local: local, jobs: configuration.executor, named: clusters,
      isOverridden: configuration.runsEverythingHere)
    observations = Observations(loop: loop, history: history)
    shared = SharedCapacity(
      configuration, loop: loop, history: history, recorder: recorder, time: time, watch: observations.watch)
    requests = RequestRouter(
      loop: loop, history: history, recorder: recorder, watch: observations.watch, time: time,
      pause: configuration.gathering)
    http = HTTPHost(workspace: history.workspace.directory, loop: loop, paths: observations.paths)
    let environment = HostEnvironment(
      inherited: configuration.inherited, secrets: configuration.ownVariables)
    self.environment = environment
    plugins = PluginServices(
      source, loop: loop, observations: observations, context: context, clock: configuration.clock,
      local: executors.local,
      environment: environment, http: http, history: history, recorder: recorder)
  }

  /// The environment that processes of the host inherit.
  var inherited: ProcessEnvironment { environment.inherited }
  /// The directory in which the host was started.
  var directory: String { configuration.directory }
  var clock: any OperationClock { time.clock }

  /// Returns the time of the injected clock.
  func now() -> RecordTime { time.now() }

  /// Returns the current time of both injected clocks.
  func moment() -> RecordedWait.Moment { time.moment() }

  /// Returns a reader for the secrets of a pipeline in `directory`, which masks the known secrets in its messages.
  func secretReader(in directory: String, known: [String]) -> SecretReader {
    SecretReader(
      local: executors.local, environment: environment, directory: directory, inherited: known,
      shortages: writing.isHolding ? shortages : nil)
  }
}

import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Synchronization
import Workspace

/// What the runs of one host share. Created on the event loop's behalf; used on it.
final class HostServices: @unchecked Sendable {
  // @unchecked: everything mutable in it (limits, watchers) is touched only on the loop.

  let loop: EventLoop
  /// What runs the processes of operations.
  let executor: any Executor
  /// What runs processes on this machine, those that read secrets among them.
  let local: LocalExecutor
  let starts: JobStarts
  let history: History
  let recorder: HistoryRecorder
  let locks: ExclusiveLocks
  let watch: WorkspaceWatch
  let requests: RequestRouter
  let paths: PathWatch
  let latestRuns: LatestRuns
  /// Where the plugins of pipelines come from.
  let plugins: PluginSource
  let pluginConditions = PluginConditions()
  /// Whether a plugin could have asked for something to be kept, which nobody else waits for.
  let hasLentStorage = Atomic(false)
  let http: HTTPHost
  let activity = HostActivity()
  let masking = MaskingThread()
  /// Clock, delayer and random source for every operation.
  let context: OperationContext
  let clock: any OperationClock
  let configuration: HostConfiguration
  /// What all runs together may take; nil where the host bounds nothing.
  let limits: HostLimits?
  /// The boot, and how much of it had passed when the monotonic clock was at zero.
  private let boot = ProcessIdentity.currentBoot
  private let bootOffset: Duration

  init(
    loop: EventLoop, history: History, recorder: HistoryRecorder,
    configuration: HostConfiguration = HostConfiguration(), plugins: PluginSource = .none
  ) {
    self.plugins = plugins
    self.loop = loop
    self.history = history
    self.recorder = recorder
    self.configuration = configuration
    local = LocalExecutor(loop: loop, masking: masking)
    executor = configuration.executor ?? local
    starts = JobStarts(executor, loop: loop)
    context = configuration.context(loop: loop)
    clock = configuration.clock
    bootOffset = Self.sinceBoot() - configuration.clock.monotonic()
    limits = HostLimits.of(configuration.capacity)
    locks = ExclusiveLocks(loop: loop, recorder: recorder, history: history)
    paths = PathWatch(loop: loop)
    http = HTTPHost(workspace: history.workspace.directory, loop: loop, paths: paths)
    latestRuns = LatestRuns(history: history)
    watch = WorkspaceWatch(paths: paths, path: history.workspace.notifyPath)
    requests = RequestRouter(loop: loop, history: history, recorder: recorder, watch: watch)
  }

  /// What processes of the host inherit.
  var inherited: ProcessEnvironment { configuration.inherited }
  /// The directory the host was started in.
  var directory: String { configuration.directory }
  var hostName: String { configuration.hostName }
  var user: String { configuration.user }

  /// The time of the injected clock.
  func now() -> RecordTime {
    let now = clock.now()
    return RecordTime(microseconds: now.seconds * 1_000_000 + Int64(now.nanoseconds / 1000))
  }

  /// The present, by both of the injected clocks.
  func moment() -> RecordedWait.Moment {
    RecordedWait.Moment(
      time: now(), boot: boot, sinceBoot: (bootOffset + clock.monotonic()).wholeMicroseconds)
  }

  private static func sinceBoot() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

import Glibc
import Operations
import Synchronization
import Workspace

/// What the runs of one host share. Created on the event loop's behalf; used on it.
final class HostServices: @unchecked Sendable {
  // @unchecked: everything mutable in it (executables, watchers) is touched only on the loop.

  let loop: EventLoop
  let runner: any ProcessRunner
  let history: History
  let recorder: HistoryRecorder
  let locks: ExclusiveLocks
  let watch: WorkspaceWatch
  let paths: PathWatch
  let latestRuns: LatestRuns
  /// Where the plugins of pipelines come from.
  let plugins: PluginSource
  let pluginConditions = PluginConditions()
  /// Whether a plugin could have asked for something to be kept, which nobody else waits for.
  let hasLentStorage = Atomic(false)
  let http: HTTPHost
  let activity = HostActivity()
  let executables = ExecutableSearch()
  let masking = MaskingThread()
  /// Clock, delayer and random source for every operation.
  let context: OperationContext
  let clock: any OperationClock
  let inherited: ProcessEnvironment
  /// The boot, and how much of it had passed when the monotonic clock was at zero.
  private let boot = ProcessIdentity.currentBoot
  private let bootOffset: Duration
  /// The directory the host was started in.
  let directory: String
  let hostName: String
  let user: String

  init(
    loop: EventLoop, runner: any ProcessRunner, history: History, recorder: HistoryRecorder, context: OperationContext,
    plugins: PluginSource = .none
  ) {
    self.plugins = plugins
    self.loop = loop
    self.runner = runner
    self.history = history
    self.recorder = recorder
    self.context = context
    clock = context.operationClock
    bootOffset = Self.sinceBoot() - context.operationClock.monotonic()
    inherited = .inherited()
    directory = Self.currentDirectory()
    hostName = Self.hostName()
    user = Self.userName()
    locks = ExclusiveLocks(loop: loop, recorder: recorder, history: history)
    paths = PathWatch(loop: loop)
    http = HTTPHost(workspace: history.workspace.directory, loop: loop, paths: paths)
    latestRuns = LatestRuns(history: history)
    watch = WorkspaceWatch(paths: paths, path: history.workspace.notifyPath)
  }

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

  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "localhost" }
  }

  private static func userName() -> String {
    // The name in the environment spares the look-up in the user database, which may be on a network.
    if let name = getenv("LOGNAME") ?? getenv("USER") { return String(cString: name) }
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return String(getuid()) }
    return String(cString: name)
  }
}

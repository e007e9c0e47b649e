import Glibc
import Operations
import PipelineLanguage
import Values

/// What a host is given rather than determines itself: time, randomness, and properties of its process and computer.
///
/// The default is this process on this computer, with the system's clock. The library reads none of this anywhere else.
public struct HostConfiguration: Sendable {
  /// How much all runs of the host may do at once. Default: only the limits of each run.
  public var capacity = HostCapacity()
  /// The clock of records, waits and deadlines. Default: the system's.
  public var clock: any OperationClock = SystemOperationClock()
  /// Performs the delays of retries, `repeat` and `wait`. Default nil: the timers of the host's event loop.
  public var delayer: (any OperationDelayer)?
  /// The directory that relative paths are resolved against for files without a directory of their own, and in which processes without a path of
  /// their own start. It must be the current directory of this process, which its children inherit.
  public var directory = Self.currentDirectory()
  /// Called in a host that holds records when an operation or a run waits for a descriptor, a thread or memory, at most once a minute. [on the event
  /// loop's thread; must return immediately]
  public var onShortage: @Sendable (ResourceShortage) -> Void = { _ in }
  /// Called in a host that holds records when the history cannot be written, immediately and then once a minute. [on the event loop's thread; must
  /// return immediately]
  public var onWriteFailure: @Sendable (WriteFailure) -> Void = { _ in }
  /// Called when the history can be written again and everything held is recorded, with the failure that has ended. [on the event loop's thread; must
  /// return immediately]
  public var onWriteRecovery: @Sendable (WriteFailure) -> Void = { _ in }
  /// The name of the computer in records. Default: the system's host name.
  public var hostName = Self.systemName()
  /// Whether the host notes when and in which order processes write to their logs. This takes a few percent of the time of runs with many short
  /// processes. Default: true.
  public var keepsLogTimes = true
  /// How many operations a run without `concurrency` executes at once. Default: the number of processors that this process may run on.
  public var processors = Processors.count
  /// Whether operations that name an executor run on this computer nevertheless. Default: false.
  public var runsEverythingHere = false
  /// The executors of the site. Default nil: there is only this computer.
  public var site: SiteDefinition?
  /// The source of jitter for retries. Default: the system's random numbers.
  public var random = OperationRandom.system
  /// Measures the time limits (`timeout`) of attempts. Default nil: the timers of the host's event loop, whatever ``delayer`` is.
  public var timeLimitDelayer: (any OperationDelayer)?
  /// What happens to runs while the history cannot be written. Default: they are cancelled.
  public var whenWritingFails = WriteFailurePolicy.cancel
  /// The user who runs the host, in records. Default: `LOGNAME` or `USER`, otherwise the name in the user database.
  public var user: String

  /// The environment that processes inherit. Default: that of this process.
  public var environment: [String: String] {
    get { inherited.values }
    set { inherited = ProcessEnvironment(newValue) }
  }

  /// The environment in which secrets are looked up. Default: ``environment``.
  public var secretEnvironment: [String: String] {
    get { (secretVariables ?? inherited).values }
    set { secretVariables = ProcessEnvironment(newValue) }
  }

  /// Performs the delays of the event loop. Default nil: the kernel's timers.
  var alarms: (any LoopAlarms)?
  /// How long a commit of the history, or a check for requests, waits so that several are combined. Default 10 ms.
  var gathering = Duration.milliseconds(10)
  /// How long Slurm must report that it never starts a job before the attempt fails. Default nil: two minutes.
  package var clusterPatience: Duration?
  /// Runs the processes of operations. Default nil: on this computer.
  var executor: (any Executor)?
  /// The time after which a run begins to listen to the workspace. A run that ends before that need not listen, and stopping alone would cost it 16
  /// ms. Default 500 ms.
  var listensAfter = Duration.milliseconds(500)
  /// Returns the time since the computer was booted, called once when the host is opened, for waits that outlive their host. Default nil: the
  /// kernel's value, which is correct for every clock that began with the host.
  var sinceBoot: (@Sendable () -> Duration)?

  /// The environment that processes inherit, including values that are not UTF-8.
  var inherited: ProcessEnvironment
  /// The environment for secrets; nil for `inherited`.
  private(set) var secretVariables: ProcessEnvironment?

  /// The host's own environment, for secrets and for programs that it calls itself.
  var ownVariables: ProcessEnvironment { secretVariables ?? inherited }

  /// Creates the configuration of this process on this computer.
  public init() {
    let inherited = ProcessEnvironment.inherited()
    self.inherited = inherited
    // The name in the environment avoids a lookup in the user database, which may be on a network.
    user = inherited["LOGNAME"] ?? inherited["USER"] ?? Self.userName()
  }

  private static func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func systemName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "localhost" }
  }

  private static func userName() -> String {
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else { return String(getuid()) }
    return String(cString: name)
  }

  /// Returns the context of every operation of the host.
  func context(loop: EventLoop) -> OperationContext {
    let timers = LoopDelayer(loop: loop)
    var context = OperationContext()
    context.operationClock = clock
    context.operationDelayer = delayer ?? timers
    context.operationTimeLimitDelayer = delayer == nil ? timeLimitDelayer : timeLimitDelayer ?? timers
    context.operationRandom = random
    return context
  }
}

/// How much all runs of a host may do at once, in addition to the limits of each run.
public struct HostCapacity: Sendable, Hashable {
  /// The maximum number of active operations: processes, requests, plugin operations. Default nil: no limit.
  public var processes: Int?
  /// The capacity of each resource, by its name in pipelines. Resources not listed here are limited only by each run.
  public var resources: [String: Int] = [:]

  /// Creates a capacity without limits.
  public init() {}
}

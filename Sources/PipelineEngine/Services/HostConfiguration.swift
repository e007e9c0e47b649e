import Glibc
import Operations
import Values

/// What a host is given rather than finds: time, chance, and what it takes from the process and the machine that it runs in.
///
/// The default is this process on this machine, with the system's clock. The library reads none of this anywhere else.
public struct HostConfiguration: Sendable {
  /// What all runs of the host may have going on at once. Default: each run is bounded by itself alone.
  public var capacity = HostCapacity()
  /// The clock of records, waits and deadlines. Default: the system's.
  public var clock: any OperationClock = SystemOperationClock()
  /// What lets the delays of retries, `repeat` and `wait` pass. Default nil: the timers of the host's event loop.
  public var delayer: (any OperationDelayer)?
  /// The directory that relative paths of files without a directory start from, and in which a process starts without a path of its own. It must be the
  /// current directory of this process, which its children inherit.
  public var directory = Self.currentDirectory()
  /// Told that an operation or a run waits for a descriptor, a thread or memory, once a minute at most, of a host that holds records. [the event loop's thread; must return at once]
  public var onShortage: @Sendable (ResourceShortage) -> Void = { _ in }
  /// Told that the history cannot be written, at once and then once a minute, of a host that holds records. [the event loop's thread; must return at once]
  public var onWriteFailure: @Sendable (WriteFailure) -> Void = { _ in }
  /// Told that it can be written again, and all that was held is recorded, with what had been in the way. [the event loop's thread; must return at once]
  public var onWriteRecovery: @Sendable (WriteFailure) -> Void = { _ in }
  /// The name of the machine, as records have it. Default: that of the system.
  public var hostName = Self.systemName()
  /// Whether the host notes when, and in which order, processes write to their logs. That takes a few percent of the time of runs of many short ones. Default:
  /// true.
  public var keepsLogTimes = true
  /// How many operations a run without `concurrency` has at work at once. Default: the processors that this process may run on.
  public var processors = Processors.count
  /// Where retries draw their jitter from. Default: the system's random numbers.
  public var random = OperationRandom.system
  /// What lets time limits (`timeout`) of attempts pass. Default nil: the timers of the host's event loop, whatever ``delayer`` is.
  public var timeLimitDelayer: (any OperationDelayer)?
  /// What becomes of runs while the history cannot be written. Default: they are cancelled.
  public var whenWritingFails = WriteFailurePolicy.cancel
  /// Who runs the host, as records have it. Default: `LOGNAME` or `USER`, else the name in the user database.
  public var user: String

  /// What processes inherit. Default: the environment of this process.
  public var environment: [String: String] {
    get { inherited.values }
    set { inherited = ProcessEnvironment(newValue) }
  }

  /// Where secrets of the environment are looked up. Default: in ``environment``.
  public var secretEnvironment: [String: String] {
    get { (secretVariables ?? inherited).values }
    set { secretVariables = ProcessEnvironment(newValue) }
  }

  /// What lets the delays of the event loop pass. Default nil: the kernel.
  var alarms: (any LoopAlarms)?
  /// How long a commit of the history, and a look for requests, waits for company. Default 10 ms.
  var gathering = Duration.milliseconds(10)
  /// Where the processes of operations run. Default nil: on this machine.
  var executor: (any Executor)?
  /// After how long a run listens to the workspace. One that is over before needs no listening, whose end alone would cost it 16 ms. Default 500 ms.
  var listensAfter = Duration.milliseconds(500)
  /// How much time has passed since the computer was started, asked once, when the host is opened: for waits that outlive their host. Default nil: what the
  /// kernel says, which is right for every clock that began with the host.
  var sinceBoot: (@Sendable () -> Duration)?

  /// The same with values that are not UTF-8, too.
  var inherited: ProcessEnvironment
  /// Nil for `inherited`.
  private(set) var secretVariables: ProcessEnvironment?

  /// This process on this machine.
  public init() {
    let inherited = ProcessEnvironment.inherited()
    self.inherited = inherited
    // The name in the environment spares the look-up in the user database, which may be on a network.
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

  /// What every operation of the host finds in its context.
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

/// What all runs of a host may have going on at once, beside the limits that each run has of its own.
public struct HostCapacity: Sendable, Hashable {
  /// How many operations may be at work: processes, requests, plugins' operations. Default nil: any number.
  public var processes: Int?
  /// How much there is of each resource, by its name in pipelines. What is not named here is bounded by each run alone.
  public var resources: [String: Int] = [:]

  /// No bounds but those of each run.
  public init() {}
}

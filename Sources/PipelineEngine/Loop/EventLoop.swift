import CProcess
import DequeModule
import Glibc
import HeapModule
import OperatingSystem
import Synchronization

/// One thread that runs everything a host does between the starts and the ends of processes: it waits in `epoll` for descriptors and timers, and
/// executes the jobs of the actors and tasks that use it as their executor.
///
/// The end of a process, the resulting step of the engine and the start of the next process follow one another on this thread, without switching to
/// another one. This keeps the cost of a step near that of `posix_spawn` itself.
///
/// Members marked *on the event loop* may only be called from jobs and handlers that run on it; the others from any thread.
final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // @unchecked: `core` is accessed only by the event loop's own thread; everything that other threads access is in `inbox` and `isSleeping`.

  /// Identifies a watched descriptor or a timer.
  typealias Token = UInt64

  private struct Inbox {
    var jobs: [UnownedJob] = []
    var calls: [@Sendable () -> Void] = []
    var isStopping = false
    /// Whether the thread no longer runs the event loop.
    var hasEnded = false
    /// Whether another thread runs what was added after that.
    var isLate = false
  }

  private struct Timer: Comparable {
    var due: ContinuousClock.Instant
    var token: Token
    static func < (left: Timer, right: Timer) -> Bool { (left.due, left.token) < (right.due, right.token) }
  }

  private struct Watch {
    let descriptor: Int32
    let isOnce: Bool
    let body: () -> Void
  }

  private struct Core {
    var jobs: Deque<UnownedJob> = []
    /// Jobs that start processes, which run before all others.
    var urgent: Deque<UnownedJob> = []
    var isUrgent = false
    var handlers: [Token: Watch] = [:]
    var timers = Heap<Timer>()
    var timerBodies: [Token: () -> Void] = [:]
    /// Closures that cancel the alarms of timers that the kernel does not wait for.
    var alarms: [Token: @Sendable () -> Void] = [:]
    /// Calls to be made when there is nothing else to do.
    var leisure: Deque<() -> Void> = []
    var nextToken: Token = 1
  }

  private let inbox = Mutex(Inbox())
  private let isSleeping = Atomic<Bool>(false)
  private let epoll: Int32
  private let wake: WakeDescriptor
  private var core = Core()
  private let thread = Atomic<pthread_t>(0)
  private let now: @Sendable () -> ContinuousClock.Instant
  private let alarms: (any LoopAlarms)?
  /// Measures the lateness of this event loop.
  let meter = LoopMeter()

  /// Creates the event loop's descriptors; no thread runs yet.
  ///
  /// - Parameters:
  ///   - now: The clock of its timers; the kernel always waits by its own.
  ///   - alarms: Performs the delays of its timers instead of the kernel.
  /// - Throws: ``EngineError/systemCall(_:_:)`` if the process is out of descriptors.
  init(
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, alarms: (any LoopAlarms)? = nil
  ) throws(EngineError) {
    self.now = now
    self.alarms = alarms
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard epoll >= 0 else { throw .systemCall("epoll_create1", errno) }
    do throws(SystemError) {
      wake = try WakeDescriptor()
    } catch {
      close(epoll)
      throw EngineError(error)
    }
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
    epoll_ctl(epoll, EPOLL_CTL_ADD, wake.number, &event)
  }

  deinit { close(epoll) }

  /// Starts the event loop's thread, with a name of at most 15 characters.
  func start(name: String = "penstock-loop") throws(EngineError) {
    // The thread keeps the event loop alive until `stop`.
    do throws(SystemError) {
      try SystemThread.detach(name) { [self] in
        thread.store(pthread_self(), ordering: .releasing)
        // If this thread blocked SIGCHLD, the end of a process that it started would interrupt some other thread; here the signal is ignored as soon
        // as it is sent.
        SignalMask.unblock(SIGCHLD)
        // Writing to a closed pipe or beyond a file size limit must fail with an error. Processes do not inherit this mask.
        SignalMask.block(SIGPIPE, SIGXFSZ)
        ThreadPriority.followProcess()
        run()
      }
    } catch {
      throw EngineError(error)
    }
  }

  /// Ends the thread once it has nothing left to run. What is added later still runs, one after another, and delays end with an error.
  func stop() {
    inbox.withLock { $0.isStopping = true }
    wake.signal()
  }

  // MARK: Executor

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isOnLoop {
      if core.isUrgent { core.urgent.append(job) } else { core.jobs.append(job) }
    } else {
      add { $0.jobs.append(job) }
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

  func checkIsolated() {
    precondition(isOnLoop, "this code runs on the event loop only")
  }

  func isIsolatingCurrentContext() -> Bool? { isOnLoop }

  /// Runs `body` on the event loop, soon.
  func execute(_ body: @escaping @Sendable () -> Void) {
    add { $0.calls.append(body) }
  }

  private func add(_ change: (inout Inbox) -> Void) {
    let isLate = inbox.withLock { inbox in
      change(&inbox)
      guard inbox.hasEnded, !inbox.isLate else { return false }
      inbox.isLate = true
      return true
    }
    guard isLate else { return signalWakeIfSleeping() }
    do throws(SystemError) {
      try SystemThread.detach("penstock-late") { [self] in runLate() }
    } catch {
      // The next addition tries again.
      inbox.withLock { $0.isLate = false }
    }
  }

  /// Runs `body` on the event loop: immediately if the caller is on it, otherwise soon.
  func reach(_ body: @escaping @Sendable () -> Void) {
    if isOnLoop { body() } else { execute(body) }
  }

  /// Runs the jobs that `body` enqueues before all others: work that allows a process to start now takes precedence over recording the end of another
  /// one. *On the event loop.*
  func urgently(_ body: () -> Void) {
    core.isUrgent = true
    body()
    core.isUrgent = false
  }

  /// Whether the caller is on the event loop's thread.
  var isOnLoop: Bool { thread.load(ordering: .acquiring) == pthread_self() }

  // MARK: Descriptors and timers, on the event loop

  /// Calls `body` whenever `descriptor` is readable, until `unwatch`; or once, after which the watch has ended and need not be removed. *On the event loop.*
  func watch(
    _ descriptor: Int32, once isOnce: Bool = false, _ body: @escaping () -> Void
  ) throws(EngineError) -> Token {
    let token = newToken()
    let kinds = isOnce ? EPOLLIN.rawValue | EPOLLONESHOT.rawValue : EPOLLIN.rawValue
    var event = epoll_event(events: kinds, data: epoll_data_t(u64: token))
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else { throw .systemCall("epoll_ctl", errno) }
    core.handlers[token] = Watch(descriptor: descriptor, isOnce: isOnce, body: body)
    return token
  }

  /// Ends a watch. The descriptor stays open. *On the event loop.*
  func unwatch(_ token: Token) {
    guard let handler = core.handlers.removeValue(forKey: token) else { return }
    epoll_ctl(epoll, EPOLL_CTL_DEL, handler.descriptor, nil)
  }

  /// Calls `body` once, when `delay` has passed. *On the event loop.*
  func schedule(after delay: Duration, _ body: @escaping () -> Void) -> Token {
    let token = newToken()
    core.timerBodies[token] = body
    if let alarms {
      core.alarms[token] = alarms.call(after: delay) { [weak self] in
        self?.execute { [weak self] in self?.ring(token) }
      }
    } else {
      core.timers.insert(Timer(due: now() + delay, token: token))
    }
    return token
  }

  private func ring(_ token: Token) {
    core.alarms[token] = nil
    core.timerBodies.removeValue(forKey: token)?()
  }

  /// Cancels a timer that has not fired yet. *On the event loop.*
  func cancelTimer(_ token: Token) {
    core.timerBodies[token] = nil
    core.alarms.removeValue(forKey: token)?()
    // A cancelled timer stays in the heap until it is due; when most entries are cancelled, the heap is rebuilt.
    if core.timers.count > 64, core.timers.count > core.timerBodies.count * 4 {
      core.timers = Heap(core.timers.unordered.filter { core.timerBodies[$0.token] != nil })
    }
  }

  /// The number of active timers and watched descriptors. *On the event loop.*
  var waits: (timers: Int, descriptors: Int) { (core.timerBodies.count, core.handlers.count) }

  /// Calls `body` soon, when there is nothing else to do: for work that is necessary but must not delay the start of the next process. *On the event loop.*
  func whenIdle(_ body: @escaping () -> Void) {
    core.leisure.append(body)
    // An event loop that is never idle must not accumulate descriptors without limit.
    if core.leisure.count > Self.leisureLimit { core.leisure.popFirst()?() }
  }

  private static let leisureLimit = 16
  /// Each iteration runs the jobs that were queued when it began, but at least this many, so that the cost of an iteration is shared by many jobs.
  private static let leastInTurn = 64

  // MARK: The thread

  private func run() {
    var events = [epoll_event](repeating: epoll_event(), count: 64)
    meter.beginTurn(now())
    while true {
      // Jobs enqueued by these run after requests of other threads, so that a task that yields repeatedly delays nothing.
      var left = max(core.jobs.count, Self.leastInTurn)
      while left > 0, let job = core.jobs.popFirst() {
        left -= 1
        execute(job)
        runUrgent(&events)
      }
      if drainInbox() {
        while let body = core.leisure.popFirst() { body() }
        meter.endTurn(now())
        return runLate()
      }
      let looked = now()
      fireTimers(looked)
      runUrgent(&events)
      guard core.jobs.isEmpty else {
        meter.renewTurn(looked)
        if left == 0 { look(&events) }
        continue
      }
      // Announce the sleep, then check once more: a thread that adds something after this check sees the announcement and wakes the event loop.
      isSleeping.store(true, ordering: .sequentiallyConsistent)
      let hasWork = inbox.withLock { !$0.jobs.isEmpty || !$0.calls.isEmpty || $0.isStopping }
      let mayWait = !hasWork && core.leisure.isEmpty
      let count = mayWait ? sleep(&events) : epoll_wait(epoll, &events, Int32(events.count), 0)
      isSleeping.store(false, ordering: .sequentiallyConsistent)
      if mayWait { meter.beginTurn(now()) }
      handle(events, count)
      runUrgent(&events)
      if count == 0, !hasWork, core.jobs.isEmpty { core.leisure.popFirst()?() }
    }
  }

  /// Runs what outlives the event loop, so that its tasks complete; they no longer wait for times or descriptors.
  private func runLate() {
    thread.store(pthread_self(), ordering: .releasing)
    var isOver = false
    while !isOver {
      _ = drainInbox()
      while let job = core.urgent.popFirst() ?? core.jobs.popFirst() { execute(job) }
      while let body = core.leisure.popFirst() { body() }
      dropWaits()
      guard core.urgent.isEmpty, core.jobs.isEmpty, core.leisure.isEmpty, core.timerBodies.isEmpty else { continue }
      isOver = inbox.withLock { inbox in
        guard inbox.jobs.isEmpty, inbox.calls.isEmpty else { return false }
        thread.store(0, ordering: .releasing)
        inbox.hasEnded = true
        inbox.isLate = false
        return true
      }
    }
  }

  /// Drops what waited for a time or a descriptor, which may retain this event loop and will never be called.
  private func dropWaits() {
    let (alarms, bodies, handlers) = (core.alarms, core.timerBodies, core.handlers)
    (core.alarms, core.timerBodies, core.handlers) = ([:], [:], [:])
    core.timers = Heap()
    for cancel in alarms.values { cancel() }
    // Their deinitializers may still cancel timers and watches.
    withExtendedLifetime((bodies, handlers)) {}
  }

  /// Runs the urgent jobs. Each may take a while, during which other processes may end, so descriptors are checked after each.
  private func runUrgent(_ events: inout [epoll_event]) {
    while let job = core.urgent.popFirst() {
      execute(job)
      look(&events)
    }
  }

  /// Handles the descriptors that are readable now.
  private func look(_ events: inout [epoll_event]) {
    let count = epoll_wait(epoll, &events, Int32(events.count), 0)
    handle(events, count)
  }

  private func execute(_ job: UnownedJob) {
    job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }

  private func handle(_ events: [epoll_event], _ count: Int32) {
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      let token = events[index].data.u64
      if token == 0 {
        wake.drain()
      } else {
        guard let watch = core.handlers[token] else { continue }
        if watch.isOnce { core.handlers[token] = nil }
        watch.body()
      }
    }
  }

  /// Takes what other threads have added. Returns true if the event loop is to end.
  private func drainInbox() -> Bool {
    let taken = inbox.withLock { inbox in
      let taken = inbox
      inbox.jobs = []
      inbox.calls = []
      return taken
    }
    core.jobs.append(contentsOf: taken.jobs)
    for call in taken.calls { call() }
    return taken.isStopping && taken.jobs.isEmpty && taken.calls.isEmpty && core.jobs.isEmpty
  }

  private func fireTimers(_ now: ContinuousClock.Instant) {
    while let first = core.timers.min, first.due <= now {
      core.timers.removeMin()
      guard let body = core.timerBodies.removeValue(forKey: first.token) else { continue }
      meter.noteTimer(due: first.due, now)
      body()
    }
  }

  /// Waits for descriptors, at most until the next timer is due. Returns how many are readable.
  private func sleep(_ events: inout [epoll_event]) -> Int32 {
    let now = now()
    meter.endTurn(now)
    return epoll_wait(epoll, &events, Int32(events.count), milliseconds(now))
  }

  /// How long the current iteration has lasted; zero while the event loop sleeps. May be read from any thread.
  var presentTurn: Duration { meter.presentTurn(now()) }

  /// Returns how long `epoll_wait` may sleep: until the next timer, or indefinitely.
  private func milliseconds(_ now: ContinuousClock.Instant) -> Int32 {
    while let first = core.timers.min {
      guard core.timerBodies[first.token] != nil else {
        core.timers.removeMin()
        continue
      }
      return Self.milliseconds(now.duration(to: first.due))
    }
    return -1
  }

  private func newToken() -> Token {
    core.nextToken += 1
    return core.nextToken
  }

  private func signalWakeIfSleeping() {
    if isSleeping.load(ordering: .sequentiallyConsistent) { wake.signal() }
  }
}

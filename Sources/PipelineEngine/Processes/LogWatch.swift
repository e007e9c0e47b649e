import Glibc
import LinuxObservers
import OperatingSystem
import RunHistory

/// Notes when, and in which order, processes write to their two logs, which they have open themselves: from it come the indexes of logs.
///
/// One inotify descriptor for all attempts of the host. The kernel tells of each write, not how much it was, and makes one event of equal ones that follow one
/// another; so the directory is watched beside the file, and its event stands between two of the file. The host looks at once, but at least
/// 2 ms after its last look, 10 ms where that goes on; and an attempt that writes more than 40,000 times a second is no longer watched, as each event costs its
/// writer half a microsecond, but looked at every 50 ms. Nothing depends on it: where the user has no watches left, the logs have no index. *On the loop.*
final class LogWatch: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  /// Watches a path, as `inotify_add_watch` does.
  typealias AddWatch = (_ descriptor: Int32, _ path: UnsafePointer<CChar>, _ events: UInt32) -> Int32

  private static let pause = Duration.milliseconds(2)
  private static let longPause = Duration.milliseconds(10)
  /// How many looks there may be after short pauses, and how many a second are added to that.
  private static let mostLooks = 100.0
  /// How many writes of an attempt within ``samplePause`` are a flood, and how many bytes are none any more.
  private static let mostWrites = 2000
  private static let calmGrowth: Int64 = 8 << 10
  private static let samplePause = Duration.milliseconds(50)
  /// How long an index may be behind.
  private static let flushPause = Duration.milliseconds(50)
  /// Of an attempt that took no longer, and wrote to one stream alone, its record says as much as an index would.
  private static let shortest = Duration.milliseconds(10)

  private let loop: EventLoop
  private let now: @Sendable () -> RecordTime
  /// Nil where it is off: then only logs that the host itself writes have an index.
  private let addWatch: AddWatch?
  private var instance: InotifyInstance?
  private var token: EventLoop.Token?
  private var attempts: [Int32: (logs: WatchedLogs, isError: Bool)] = [:]
  private var looked: ContinuousClock.Instant
  private var looksLeft = LogWatch.mostLooks
  private var flooding: [WatchedLogs] = []
  private var isSampling = false
  private var pumped: [WatchedLogs] = []
  private var isTakingPumped = false
  /// Those whose growths stay out of their index as long as they may be short.
  private var young: [WatchedLogs] = []
  private var behind: [ObjectIdentifier: LogIndexFile] = [:]
  private var isFlushing = false

  init(
    loop: EventLoop, isOn: Bool = true, now: @escaping @Sendable () -> RecordTime,
    addWatch: @escaping AddWatch = { inotify_add_watch($0, $1, $2) }
  ) {
    self.loop = loop
    self.now = now
    self.addWatch = isOn ? addWatch : nil
    looked = .now - Self.longPause
  }

  // MARK: Attempts

  /// What notes how the logs of an attempt grow that the host itself writes.
  func pump() -> PumpedGrowths {
    PumpedGrowths(now: now) { [loop, weak self] in loop.execute { [weak self] in self?.hasPumped() } }
  }

  /// The process of an attempt is about to be started.
  func begin(
    _ files: LogFiles, index: LogIndexFile, in directory: LogDirectory, pumped: PumpedGrowths?
  ) -> WatchedLogs {
    let logs = WatchedLogs(files, index: index, in: directory, pumped: pumped)
    directory.running += 1
    if pumped == nil { watch(logs) } else { self.pumped.append(logs) }
    return logs
  }

  /// The process of an attempt has ended.
  func end(_ logs: WatchedLogs) {
    guard !logs.hasEnded else { return }
    logs.hasEnded = true
    logs.directory.running -= 1
    // The next one may begin at once.
    if logs.directory.running == 0 {
      loop.whenIdle { [directory = logs.directory] in if directory.running == 0 { directory.endWatches() } }
    }
    if logs.isKnown {
      logs.measure()
      if logs.isWatched {
        // What has been written to does not serve again. Before the look, which reads what the end of a watch adds.
        for isError in [false, true] where logs.found[isError: isError] > 0 { unwatch(logs, isError: isError) }
        look(for: logs)
        forget(logs)
        logs.settle(at: now())
      } else if logs.isFlooding {
        logs.settle(at: now())
        calm(logs)
      } else if let pumped = logs.pumped {
        self.pumped.removeAll { $0 === logs }
        logs.waiting += pumped.take()
      }
      let isShort = ContinuousClock.now - logs.began < Self.shortest
      // The order of two streams is asked for right away.
      let hasOrder = logs.found.output > 0 && logs.found.error > 0
      if !isShort || hasOrder { logs.index.append(logs.waiting) }
      logs.waiting = []
      if hasOrder { return logs.index.flush() }
    }
    flushSoon(logs.index)
  }

  /// A log has grown that the host itself writes.
  func append(_ growth: LogGrowth, to index: LogIndexFile) {
    index.append(CollectionOfOne(growth))
    flushSoon(index)
  }

  // MARK: Watching

  private func watch(_ logs: WatchedLogs) {
    guard let addWatch else { return }
    if instance == nil { instance = InotifyInstance() }
    guard let instance else { return }
    if token == nil { listen() }
    let directory = logs.directory
    if directory.own == nil, directory.flooding == 0 {
      directory.own = directory.path.withCString { watch($0, instance, addWatch) }
    }
    for isError in [false, true] {
      let file = logs.log(isError: isError)
      guard directory.files[file.watch] == nil, let watch = watch(file.path.pointer, instance, addWatch) else {
        continue
      }
      file.watch = watch.number
      directory.files[watch.number] = watch
    }
    let (output, error) = (logs.files.outputLog.watch, logs.files.errorFile.watch)
    guard directory.files[output] != nil, directory.files[error] != nil else {
      for isError in [false, true] { unwatch(logs, isError: isError) }
      return
    }
    attempts[output] = (logs, false)
    attempts[error] = (logs, true)
    logs.isWatched = true
  }

  private func watch(
    _ path: UnsafePointer<CChar>, _ instance: InotifyInstance, _ addWatch: AddWatch
  ) -> InotifyWatch? {
    let number = addWatch(instance.descriptor, path, UInt32(IN_MODIFY))
    return number < 0 ? nil : InotifyWatch(number, of: instance)
  }

  /// Ends a watch. What it has told already is still to be read.
  private func unwatch(_ logs: WatchedLogs, isError: Bool) {
    logs.directory.files[logs.log(isError: isError).watch] = nil
  }

  /// Nothing more is to be read of it.
  private func forget(_ logs: WatchedLogs) {
    for isError in [false, true] { attempts[logs.log(isError: isError).watch] = nil }
    logs.isWatched = false
  }

  private func listen() {
    token = instance.flatMap { instance in try? loop.watch(instance.descriptor) { [weak self] in self?.hasEvents() } }
  }

  private func hasEvents() {
    let present = ContinuousClock.now
    let passed = present - looked
    looksLeft = min(Self.mostLooks, looksLeft + passed / .seconds(1) * Self.mostLooks)
    let pause = looksLeft >= 1 ? Self.pause : Self.longPause
    guard passed < pause else { return look() }
    if let token { loop.unwatch(token) }
    // Not nil: nobody is to listen meanwhile.
    _ = loop.schedule(after: pause - passed) { [weak self] in
      guard let self else { return }
      look()
      listen()
    }
  }

  /// Reads what the kernel has told, and how large the logs are that it was about.
  ///
  /// Only what others than `ended` have written is looked for again: its process writes no more.
  private func look(for ended: WatchedLogs? = nil) {
    guard let descriptor = instance?.descriptor else { return }
    var touched: [WatchedLogs] = []
    // Until nothing comes between the events and the sizes; but an attempt may write on and on.
    for _ in 0..<4 {
      var hasNews = false
      var hasMissed = false
      guard
        InotifyEvents.readSome(
          from: descriptor,
          { event in
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { hasMissed = true }
            guard event.mask & UInt32(IN_MODIFY) != 0, let (logs, isError) = attempts[event.wd] else { return }
            logs.writes.add(isError: isError)
            hasNews = true
            guard !logs.isTouched else { return }
            logs.isTouched = true
            touched.append(logs)
          })
      else { break }
      if hasMissed {
        for (logs, _) in attempts.values {
          logs.writes.miss()
          if !logs.isTouched { touched.append(logs) }
          logs.isTouched = true
        }
      }
      guard hasNews || hasMissed else { break }
      for logs in touched { logs.measure() }
      if !hasMissed, touched.allSatisfy({ $0 === ended }) { break }
    }
    looked = .now
    looksLeft -= 1
    guard !touched.isEmpty else { return }
    let time = now()
    for logs in touched { settle(logs, at: time) }
  }

  private func settle(_ logs: WatchedLogs, at time: RecordTime) {
    if looked - logs.windowBegan > Self.samplePause { (logs.windowBegan, logs.writesInWindow) = (looked, 0) }
    logs.writesInWindow += logs.writes.count
    logs.settle(at: time)
    hasWaiting(logs)
    if logs.writesInWindow > Self.mostWrites, !logs.hasEnded { flood(logs) }
  }

  // MARK: Floods

  private func flood(_ logs: WatchedLogs) {
    for isError in [false, true] { unwatch(logs, isError: isError) }
    forget(logs)
    logs.isFlooding = true
    logs.directory.flooding += 1
    logs.directory.own = nil
    flooding.append(logs)
    sampleSoon()
  }

  /// It writes as others do, or has ended.
  private func calm(_ logs: WatchedLogs) {
    logs.isFlooding = false
    logs.directory.flooding -= 1
    flooding.removeAll { $0 === logs }
  }

  private func sampleSoon() {
    guard !isSampling else { return }
    isSampling = true
    _ = loop.schedule(after: Self.samplePause) { [weak self] in self?.sample() }
  }

  private func sample() {
    isSampling = false
    let time = now()
    for logs in flooding {
      logs.measure()
      let growth = logs.settle(at: time)
      hasWaiting(logs)
      guard growth < Self.calmGrowth else { continue }
      calm(logs)
      watch(logs)
    }
    if !flooding.isEmpty { sampleSoon() }
  }

  // MARK: What the host writes itself

  private func hasPumped() {
    guard !isTakingPumped else { return }
    isTakingPumped = true
    _ = loop.schedule(after: Self.pause) { [weak self] in self?.takePumped() }
  }

  private func takePumped() {
    isTakingPumped = false
    for logs in pumped {
      guard let growths = logs.pumped?.take(), !growths.isEmpty else { continue }
      logs.waiting += growths
      hasWaiting(logs)
    }
  }

  // MARK: Indexes

  private func hasWaiting(_ logs: WatchedLogs) {
    guard !logs.waiting.isEmpty, !logs.hasEnded else { return }
    guard ContinuousClock.now - logs.began >= Self.shortest else {
      if young.last !== logs { young.append(logs) }
      return flushLater()
    }
    logs.index.append(logs.waiting)
    logs.waiting = []
    flushSoon(logs.index)
  }

  private func flushSoon(_ index: LogIndexFile) {
    guard index.hasWaiting else { return }
    let present = ContinuousClock.now
    if index.flushed.map({ present - $0 >= Self.flushPause }) ?? true {
      index.flush()
    } else {
      behind[ObjectIdentifier(index)] = index
      flushLater()
    }
  }

  private func flushLater() {
    guard !isFlushing else { return }
    isFlushing = true
    _ = loop.schedule(after: Self.flushPause) { [weak self] in self?.flush() }
  }

  private func flush() {
    isFlushing = false
    let grown = young
    young = []
    for logs in grown where !logs.hasEnded { hasWaiting(logs) }
    for index in behind.values { index.flush() }
    behind = [:]
  }
}

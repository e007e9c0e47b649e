import Glibc
import LinuxObservers
import OperatingSystem
import RunHistory

/// Records when, and in which order, processes write to their two logs, which they have opened themselves. The indexes of logs are created from this.
///
/// One inotify descriptor serves all attempts of the host. The kernel reports each write, but not its size, and merges consecutive equal events; the
/// directory is therefore watched in addition to the file, so that its event separates two of the file's. The host reads events immediately, but at
/// least 2 ms after the last time, or 10 ms under sustained load. An attempt that writes more than 40,000 times a second is no longer watched,
/// because each event costs its writer half a microsecond, but measured every 50 ms. Nothing depends on this: if the user has no watches left, the
/// logs have no index. *On the event loop.*
final class LogWatch: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// Watches a path, as `inotify_add_watch` does.
  typealias AddWatch = (_ descriptor: Int32, _ path: UnsafePointer<CChar>, _ events: UInt32) -> Int32

  private static let pause = Duration.milliseconds(2)
  private static let longPause = Duration.milliseconds(10)
  /// How many reads may follow short pauses, and how many are added to that each second.
  private static let mostLooks = 100.0
  /// The number of writes of an attempt within ``samplePause`` that counts as a flood, and the number of bytes below which the flood is over.
  private static let mostWrites = 2000
  private static let calmGrowth: Int64 = 8 << 10
  private static let samplePause = Duration.milliseconds(50)
  /// The maximum delay of an index.
  private static let flushPause = Duration.milliseconds(50)
  /// For an attempt that took no longer than this and wrote to only one stream, its record contains as much as an index would.
  private static let shortest = Duration.milliseconds(10)

  private let loop: EventLoop
  private let now: @Sendable () -> RecordTime
  /// Nil if watching is off: then only logs that the host itself writes have an index.
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
  /// Attempts whose growths are not in their index yet, because the attempts may turn out to be short.
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

  /// Returns an object that notes the growth of an attempt's logs that the host itself writes.
  func pump() -> PumpedGrowths {
    PumpedGrowths(now: now) { [loop, weak self] in loop.execute { [weak self] in self?.hasPumped() } }
  }

  /// Begins to watch the logs of an attempt whose process is about to be started.
  func begin(
    _ files: LogFiles, index: LogIndexFile, in directory: LogDirectory, pumped: PumpedGrowths?
  ) -> WatchedLogs {
    let logs = WatchedLogs(files, index: index, in: directory, pumped: pumped)
    directory.running += 1
    if pumped == nil { watch(logs) } else { self.pumped.append(logs) }
    return logs
  }

  /// Ends the watch of an attempt whose process has ended.
  func end(_ logs: WatchedLogs) {
    guard !logs.hasEnded else { return }
    logs.hasEnded = true
    logs.directory.running -= 1
    // The next one may begin immediately.
    if logs.directory.running == 0 {
      loop.whenIdle { [directory = logs.directory] in if directory.running == 0 { directory.endWatches() } }
    }
    if logs.isKnown {
      logs.measure()
      if logs.isWatched {
        // Files that have been written to are not reused. Unwatch before reading, which then includes what the end of a watch adds.
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
      // The order of two streams is needed right away.
      let hasOrder = logs.found.output > 0 && logs.found.error > 0
      if !isShort || hasOrder { logs.index.append(logs.waiting) }
      logs.waiting = []
      if hasOrder { return logs.index.flush() }
    }
    flushSoon(logs.index)
  }

  /// Notes the growth of a log that the host itself writes.
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

  /// Ends a watch. Events that it has already reported are still to be read.
  private func unwatch(_ logs: WatchedLogs, isError: Bool) {
    logs.directory.files[logs.log(isError: isError).watch] = nil
  }

  /// Ends reading events of an attempt.
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
    // Not nil, so that nothing listens in the meantime.
    _ = loop.schedule(after: pause - passed) { [weak self] in
      guard let self else { return }
      look()
      listen()
    }
  }

  /// Reads the events, and the sizes of the logs that they refer to.
  ///
  /// Only writes of attempts other than `ended` are read again, because its process no longer writes.
  private func look(for ended: WatchedLogs? = nil) {
    guard let descriptor = instance?.descriptor else { return }
    var touched: [WatchedLogs] = []
    // Repeated until no event arrives between the events and the sizes, but limited, because an attempt may write continuously.
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

  /// Notes that an attempt writes at a normal rate again, or has ended.
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

  // MARK: Logs written by the host

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

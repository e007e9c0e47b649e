import Glibc
import OperatingSystem

/// Waits for the end of a program, tells that it is alive, and ends it when that is requested or its time is over.
struct StopWatch {
  /// How often the worker touches `beat`, in seconds.
  private static let beatInterval: Int64 = 10
  /// How often it looks for a request in the directory, in milliseconds: a signal comes at once.
  private static let lookInterval: Int64 = 1000
  /// The shortest time without a look, in milliseconds, that counts as a suspension of the job: Slurm stops the worker with it.
  private static let suspension: Int64 = 5000

  private let attempt: AttemptFolder
  private let grace: Int64
  private var deadline: Int64?
  private var signals = sigset_t()
  private var killAt: Int64?
  private var nextBeat: Int64 = 0
  private var latestLook = Self.now
  /// Whether it was asked to stop.
  private(set) var isStopped = false
  private(set) var isTimedOut = false

  /// From now on, requests to stop are noticed.
  init(attempt: AttemptFolder, order: JobOrder) {
    self.attempt = attempt
    grace = order.grace
    deadline = order.timeout.map { Self.now + $0 }
    sigemptyset(&signals)
    // The end of a process is one as well, so that one call waits for everything.
    for number in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] { sigaddset(&signals, number) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// The monotonic clock, in milliseconds.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Returns when the process has ended. `descriptor` is its pidfd.
  mutating func wait(for pid: pid_t, _ descriptor: Int32) {
    while true {
      beat()
      var file = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&file, 1, 0) > 0 { return }
      let next = [deadline, killAt].compactMap { $0 }.min().map { max(0, $0 - Self.now) } ?? .max
      let patience = min(Self.lookInterval, next)
      var time = timespec(tv_sec: Int(patience / 1000), tv_nsec: Int(patience % 1000) * 1_000_000)
      let signal = sigtimedwait(&signals, nil, &time)
      look(pid, hasSignal: signal > 0 && signal != SIGCHLD)
    }
  }

  private mutating func look(_ pid: pid_t, hasSignal: Bool) {
    let now = Self.now
    pass(from: latestLook, to: now)
    latestLook = now
    let request = SharedFile.read(attempt.stop, limit: 64)
    if hasSignal || request != nil, !isStopped {
      isStopped = true
      end(pid, grace: grace, now)
    }
    if request.map({ String(decoding: $0, as: UTF8.self) }) == "kill" { killAt = now }
    if let deadline, now >= deadline, !isTimedOut, !isStopped {
      isTimedOut = true
      end(pid, grace: grace, now)
    }
    guard let killAt, now >= killAt else { return }
    kill(-pid, SIGKILL)
    self.killAt = now + 1000
  }

  /// Moves what is due by the time of a suspension.
  private mutating func pass(from latest: Int64, to now: Int64) {
    let passed = now - latest - Self.lookInterval
    guard passed > Self.suspension else { return }
    deadline = deadline.map { $0 + passed }
    killAt = killAt.map { $0 + passed }
  }

  private mutating func end(_ pid: pid_t, grace: Int64, _ now: Int64) {
    kill(-pid, SIGTERM)
    killAt = min(killAt ?? .max, now + grace)
  }

  private mutating func beat() {
    guard Self.now >= nextBeat else { return }
    nextBeat = Self.now + Self.beatInterval * 1000
    if utimensat(AT_FDCWD, attempt.beat, nil, 0) != 0 { try? SharedFile.write([], to: attempt.beat) }
  }
}

/// What the program of an attempt has left behind.
enum Orphans {
  /// Kills all children of this process, and theirs, which become its children.
  static func kill() {
    while true {
      let children = ProcessTable.children()
      guard !children.isEmpty else { return }
      for child in children { Glibc.kill(child, SIGKILL) }
      while waitpid(-1, nil, 0) > 0 {}
    }
  }
}

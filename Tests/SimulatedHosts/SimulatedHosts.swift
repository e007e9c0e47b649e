import CFaultVFS
import CProcess
import Foundation
import Operations
import OperationsTesting
import PipelineLanguage
import PipelineService
import PluginHost
import RunHistory
import Synchronization
import Workspace

@testable import PipelineEngine
@testable import Server

/// Hosts that follow each other on one workspace, with a clock that advances when none of them has anything left to do.
///
/// Only time, chance and processes are simulated: the host, its history, its plugins and its workspace are the real ones. It belongs to one thread, and to a
/// process that does nothing else.
final class SimulatedHosts {
  /// The settings of a simulation.
  struct Settings: Sendable {
    var seed: UInt64
    var pipelines = 16
    var days = 2
    var restarts = 8
    /// The number of restarts that are kills.
    var kills = 4
    /// Whether hosts also die in the middle of a write: the seed then does not determine what the dead host had written.
    var killsWhileWriting = true
    /// Whether no two events coincide: the seed does not determine the order of events that do.
    var isApart = false
    /// The maximum number of active runs of all pipelines.
    var runs = 3
    var processes = 5
  }

  /// The life of a host, in nanoseconds since 1970.
  struct Life: Sendable {
    var began: Int64
    /// When it was drained, or died.
    var ended: Int64
    /// The time from which its writes may be lost.
    var lost: Int64
  }

  /// A host that has ended.
  private struct Former {
    weak var server: PipelineServer?
    weak var host: RunHost?
    var wasKilled = false

    var isKept: Bool { server != nil || host != nil }
  }

  /// A scheduled action of a person, or a failure.
  private enum Event {
    case drain(down: Int64)
    case kill(down: Int64, writes: Int64?)
    case request(String)
    case pause(String, seconds: Int64)
    case answer
    case endOfDay
  }

  /// An error of the simulation itself, which cannot continue.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static let second: Int64 = 1_000_000_000
  /// 2026-10-11T00:00:00Z, so that thirty days include the clock changes of 25 October and 1 November.
  static let start: Int64 = 1_791_676_800 * second

  let settings: Settings
  let pipelines: [SimulatedPipeline]
  let clock = SimulatedClock(start: start)
  let limits: SimulatedMachine.Limits
  let machine: SimulatedMachine
  private(set) var lives: [Life] = []
  private(set) var pauses: [(pipeline: String, from: Int64, to: Int64)] = []
  private(set) var requested = 0
  /// Anonymous memory in kilobytes, at the end of each day.
  private(set) var memory: [Int] = []
  private(set) var steps = 0
  /// The errors that the hosts logged.
  let errors = Lines()
  /// Whether the workspace is kept when this object is released.
  var isLeft = false
  /// Called at the end of each day.
  var dayIsOver: ((String) -> Void)?
  private let directory: String
  private let plugins: PluginLoader
  private var threads = OtherThreads()
  private var server: PipelineServer?
  private var executor: SimulatedExecutor?
  private var serving: Finish?
  private var events: [(at: Int64, event: Event)] = []
  private var former: [Former] = []

  var end: Int64 { Self.start + Int64(settings.days) * 86_400 * Self.second }
  var workspace: String { directory + "/workspace" }

  init(_ settings: Settings, pluginsIn folder: String) throws {
    self.settings = settings
    var random = SeededRandom(seed: settings.seed)
    pipelines = SimulatedPipeline.draw(settings.pipelines, isApart: settings.isApart, &random)
    // Enough for most requests to run, and for everything to wait again and again.
    limits = SimulatedMachine.Limits(
      runs: settings.runs, queues: ["heavy": max(2, settings.runs / 5)], processes: settings.processes,
      resources: ["gpu": max(1, settings.processes / 10)])
    let kinds = pipelines.reduce(into: [:]) { $0.merge($1.processes) { first, _ in first } }
    machine = SimulatedMachine(clock, kinds, limits: limits, seed: settings.seed, isApart: settings.isApart)
    let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    directory = "\(memory)/penstock-simulation-\(UUID().uuidString)"
    plugins = PluginLoader(
      PluginLoader.Configuration(
        directories: [PluginDirectory(path: folder, isStandard: true, isPrefixed: true)],
        clock: SimulatedPluginClock(clock: clock),
        log: { [errors] level, plugin, message in
          if level == .error { errors.add("\(plugin): \(message)") }
        }))
    try FileManager.default.createDirectory(atPath: directory + "/pipelines", withIntermediateDirectories: true)
    for pipeline in pipelines {
      try pipeline.text.write(
        toFile: "\(directory)/pipelines/\(pipeline.name).yaml", atomically: false, encoding: .utf8)
    }
    draw(&random)
  }

  deinit { if !isLeft { try? FileManager.default.removeItem(atPath: directory) } }

  /// Decides what happens when.
  private func draw(_ random: inout SeededRandom) {
    let hours = settings.days * 24
    let moment = { (random: inout SeededRandom) in
      Self.start + 3600 * Self.second + Int64(random.next(below: (hours - 2) * 3600)) * Self.second
    }
    for number in 0..<settings.restarts {
      // After a time without a host, no instant is punctual, and only those that are made up for run, all at once.
      let down = random.element(of: settings.isApart ? [601, 7201] : [0, 30, 90, 600, 7200, 14_400]) * Self.second
      let writes: Int64? =
        settings.killsWhileWriting && !random.oneIn(3) ? Int64(1 + random.next(below: 40)) : nil
      events.append(
        (moment(&random), number < settings.kills ? .kill(down: down, writes: writes) : .drain(down: down)))
    }
    for _ in 0..<(hours / 2) {
      events.append((moment(&random), .request(random.element(of: pipelines).name)))
      if random.oneIn(3) {
        events.append(
          (
            moment(&random),
            .pause(random.element(of: pipelines).name, seconds: Int64(600 + random.next(below: 20_000)))
          ))
      }
    }
    for hour in 0..<hours { events.append((Self.start + Int64(hour * 3600 + 180) * Self.second, .answer)) }
    for day in 1...settings.days { events.append((Self.start + Int64(day) * 86_400 * Self.second, .endOfDay)) }
    // Sorting does not preserve the order of equal elements.
    events = events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }

  // MARK: Running

  /// Simulates all days, and drains the last host.
  func run() throws {
    // As in the program of a host.
    penstock_limit_arenas(2)
    guard fault_install() == 0 else { throw Failure(description: "cannot install the fault injection") }
    try begin()
    for (at, event) in events {
      // Without a host, nobody could make a request.
      let isLate = at < clock.nanoseconds
      try pass(to: at)
      switch event {
      case .drain(let down): try restart(after: down) { try drain() }
      case .kill(let down, let writes): try restart(after: down) { try kill(writes: writes) }
      case .endOfDay:
        memory.append(ThisProcess.anonymousMemory())
        dayIsOver?(
          "day \(memory.count) of \(settings.days): \(steps) steps, \(memory.last ?? 0) KiB, \(ThisProcess.allocatedMemory()) KiB of them allocated"
        )
      case _ where isLate: continue
      case .request(let name): try request(name)
      case .pause(let name, let seconds): try pause(name, seconds)
      case .answer: try answer()
      }
      try settle()
    }
    try drain()
  }

  /// Performs everything that is due by a time.
  private func pass(to time: Int64) throws {
    while clock.step(to: time, oneByOne: settings.isApart) {
      steps += 1
      try settle()
    }
  }

  private func settle() throws {
    guard threads.settle() else {
      throw Failure(description: "the host does not come to rest at \(clock.recordTime): \(threads.awake)")
    }
  }

  private func restart(after down: Int64, _ end: () throws -> Void) throws {
    try end()
    try pass(to: clock.nanoseconds + down)
    try begin()
  }

  /// The outcome of a host.
  private final class Finish: Sendable {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let isReady = Atomic(false)
  }

  private func begin() throws {
    machine.endAll()
    let executor = SimulatedExecutor(machine)
    var testing = TestingConditions()
    testing.adapt = { [clock] configuration in
      configuration.clock = clock
      configuration.alarms = clock
      configuration.executor = executor
      configuration.gathering = .zero
      // Together with other checks 50 ms after the start.
      configuration.listensAfter = .milliseconds(50)
      configuration.random = OperationRandom(seed: 1)
      configuration.sinceBoot = { clock.monotonic() }
    }
    var service = RunService.Configuration(
      plugins: .host(plugins), durability: .process, keepsLogTimes: false, testing: testing)
    service.capacity.processes = limits.processes
    service.capacity.resources = limits.resources
    var configuration = ServerConfiguration(
      paths: [directory + "/pipelines"], location: WorkspaceLocation(path: workspace, origin: .option),
      service: service, version: "simulated")
    configuration.use(limits.host)
    let log = HostLog(.text, clock: { [clock] in clock.recordTime }) { [errors] line in
      if line.contains(" error: ") { errors.add(line) }
    }
    let finish = Finish()
    let server = try PipelineServer(
      configuration, log: log,
      states: HostStates { state in
        if state == .ready { finish.isReady.store(true, ordering: .sequentiallyConsistent) }
      })
    Task {
      do {
        try await server.run()
        finish.outcome.withLock { $0 = .success(()) }
      } catch {
        finish.outcome.withLock { $0 = .failure(error) }
      }
    }
    (self.server, self.executor, serving) = (server, executor, finish)
    lives.append(Life(began: clock.nanoseconds, ended: .max, lost: .max))
    try settle()
    // The host may check again after a moment for what the former one left, and the clock stands still until it is ready. A wait in real time, for example for another
    // thread to write, looks like rest.
    let deadline = ContinuousClock.now + .seconds(5)
    while !finish.isReady.load(ordering: .sequentiallyConsistent), ContinuousClock.now < deadline {
      clock.hurry(within: .seconds(1))
      try settle()
    }
    guard finish.isReady.load(ordering: .sequentiallyConsistent) else {
      throw Failure(description: "the host is not ready: \(errors.all.suffix(5))")
    }
  }

  /// Ends the host as SIGTERM does.
  private func drain() throws {
    guard let server else { return }
    (lives[lives.count - 1].ended, lives[lives.count - 1].lost) = (clock.nanoseconds, clock.nanoseconds)
    server.send(.drain(RunCanceller(means: .drain)))
    try settle()
    // Operations may take as long as `drain` allows.
    while serving?.outcome.withLock({ $0 == nil }) == true {
      guard let next = clock.next else { throw Failure(description: "a draining host waits for nothing") }
      try pass(to: next)
    }
    if case .failure(let error)? = serving?.outcome.withLock({ $0 }) {
      throw Failure(description: "a drained host ended with \(error)")
    }
    former.append(Former(server: server, host: server.service.host))
    leave()
  }

  /// Ends the host as SIGKILL does: from some write on, nothing reaches the disk, and no process is notified.
  private func kill(writes: Int64?) throws {
    guard let server else { return }
    lives[lives.count - 1].lost = clock.nanoseconds
    try failWrites(from: writes ?? 1)
    if writes != nil {
      for _ in 0..<4 {
        guard let next = clock.next, next < end else { break }
        _ = clock.step(to: next, oneByOne: settings.isApart)
        steps += 1
        try settle()
      }
    }
    lives[lives.count - 1].ended = clock.nanoseconds
    // From here on at the latest.
    fault_disarm(directory)
    try failWrites(from: 1)
    executor?.cut()
    let (host, finish) = (server.service.host, serving)
    Task {
      await host.endHolding()
      server.send(.drain(RunCanceller(means: .drain)))
      server.send(.drain(RunCanceller(means: .drain)))
    }
    let deadline = ContinuousClock.now + .seconds(20)
    while finish?.outcome.withLock({ $0 == nil }) == true {
      guard ContinuousClock.now < deadline else { throw Failure(description: "cannot dismantle a killed host") }
      try settle()
      clock.hurry(within: .seconds(5))
    }
    former.append(Former(server: server, host: server.service.host, wasKilled: true))
    leave()
    try settle()
    fault_disarm(directory)
    try bury()
  }

  private func failWrites(from number: Int64) throws {
    // SQLITE_IOERR.
    guard fault_arm(directory, Int32(fault_writes | fault_truncations), number, 1, 10, EIO) >= 0 else {
      throw Failure(description: "cannot make writes fail")
    }
  }

  private func leave() { (server, executor, serving) = (nil, nil, nil) }

  /// The number of drained hosts that are still in memory.
  var kept: Int { former.count { $0.isKept && !$0.wasKilled } }
  /// The number of killed hosts that are still in memory: outside the simulation, they would be released with their processes.
  var keptOfKilled: Int { former.count { $0.isKept && $0.wasKilled } }

  /// Makes the workspace see the process of the former host as another one than the one that has its number now.
  private func bury() throws {
    let history = try History.open(at: workspace, mode: .readWrite)
    try history.workspace.write { db in
      for table in ["run_record", "lease_record", "host_record", "resource_hold"] {
        try db.execute(
          sql: "UPDATE \(table) SET process_started = 1 WHERE pid = ? AND process_started > 1", arguments: [getpid()])
      }
    }
    history.workspace.close()
  }

  // MARK: People

  private func request(_ name: String) throws {
    guard let history = server?.service.history else { return }
    let request = try RequestedRun(
      ofPipelineNamed: name, in: history, plugins: .host(plugins), who: "ada", at: clock.recordTime
    ) { result in
      guard let pipeline = result.pipeline else { throw Failure(description: "'\(name)' does not load") }
      return pipeline
    }
    do {
      _ = try request.queue(
        given: [], values: [:], labels: [:], priority: nil, who: "ada", version: "simulated", at: clock.recordTime)
    } catch ServedPipelineError.refused {
      // It is still an occasion.
    }
    requested += 1
  }

  private func pause(_ name: String, _ seconds: Int64) throws {
    guard let history = server?.service.history, !pauses.contains(where: { $0.pipeline == name }) else { return }
    let (now, until) = (clock.nanoseconds, clock.nanoseconds + seconds * Self.second)
    try history.pause([
      Pause(
        pipeline: name, until: RecordTime(microseconds: until / 1000), reason: "simulated", who: "ada",
        since: clock.recordTime)
    ])
    pauses.append((name, now, until))
  }

  /// Approves all requests.
  private func answer() throws {
    guard let history = server?.service.history else { return }
    let asking = Set(pipelines.filter(\.asks).map(\.name))
    for run in try history.runs(RunFilter(states: [.running])) where asking.contains(run.pipeline) {
      for question in try history.pendingApprovals(run.id) {
        _ = try history.answerApproval(
          run.id, operation: question.operation, approved: true, note: nil, who: "ada", at: clock.recordTime)
      }
    }
  }
}

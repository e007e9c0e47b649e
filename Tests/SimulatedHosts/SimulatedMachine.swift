import Glibc
import OperationsTesting
import PipelineLanguage
import RunHistory
import Synchronization

@testable import PipelineEngine

/// The computer of all simulated hosts: each process takes the time, and exits with the code, that were drawn for it, and does nothing else.
///
/// Processes outlive a killed host until the next one ends them. The machine notes everything that should never happen.
final class SimulatedMachine: Sendable {
  /// The properties of the processes of one operation.
  struct Kind: Sendable {
    var pipeline: String
    var queue: String
    /// How long they may take, in seconds: few lengths, so that many processes that start together also end together.
    var durations: [Int]
    /// How many of a hundred fail.
    var failures: Int
    /// The amounts that they take of ``Limits/resources``.
    var resource: String?
  }

  /// The maximum numbers of active runs, processes and resources.
  struct Limits: Sendable {
    var runs: Int
    var queues: [String: Int]
    var processes: Int
    var resources: [String: Int]

    /// A host with these limits.
    var host: HostDefinition {
      let queues = queues.map { "\($0.key): { runs: \($0.value) }" }.joined(separator: ", ")
      let resources = resources.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      let text = """
        limits: { runs: \(runs), processes: \(processes), queued: 100000 }
        queues: { \(queues) }
        resources: { \(resources) }
        drain: 2m
        """
      let result = HostDefinition.load(text: text, path: "/simulated/host.yaml")
      guard let host = result.host else { preconditionFailure("\(result)") }
      return host
    }
  }

  /// The numbers of active runs and processes.
  private struct Going {
    var processes = 0
    /// Processes of runs of queues.
    var runs: [String: [RunID: Int]] = [:]
    var holders: [String: Int] = [:]

    /// Counts the process as running, or as ended.
    mutating func count(_ id: JobID, _ kind: Kind, _ change: Int) {
      processes += change
      let count = (runs[kind.queue]?[id.run] ?? 0) + change
      runs[kind.queue, default: [:]][id.run] = count == 0 ? nil : count
      if let resource = kind.resource { holders[resource, default: 0] += change }
    }
  }

  private struct Process {
    var kind: Kind
    var end: JobEnd.Cause?
    var alarm: UInt64?
    var waiting: CheckedContinuation<JobEnd.Cause, Never>?
  }

  private struct State {
    /// All processes started by runs that have not ended.
    var processes: [RunID: [JobID: Process]] = [:]
    var going = Going()
    var problems: [String] = []
    var random: [String: SeededRandom] = [:]
    var counts: [String: Int] = [:]
    var started = 0
    var most = 0
  }

  let clock: SimulatedClock
  private let limits: Limits
  private let kinds: [String: Kind]
  private let seed: UInt64
  private let isApart: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - clock: The clock that ends processes.
  ///   - kinds: The processes, by the last argument of their commands.
  ///   - limits: The limits that must never be exceeded.
  ///   - seed: The seed for durations and exit codes: those of an operation are the same in each simulation, in their order.
  ///   - isApart: Whether no two processes end at the same time.
  init(_ clock: SimulatedClock, _ kinds: [String: Kind], limits: Limits, seed: UInt64, isApart: Bool) {
    self.isApart = isApart
    self.clock = clock
    self.kinds = kinds
    self.limits = limits
    self.seed = seed
  }

  /// What should never have happened, in the order in which it happened.
  var problems: [String] { state.withLock { $0.problems } }
  /// The number of started processes, and the maximum number of concurrent ones.
  var counts: (started: Int, most: Int) { state.withLock { ($0.started, $0.most) } }
  /// The number of running processes.
  var going: Int { state.withLock { $0.going.processes } }

  /// Returns a number of the process.
  fileprivate func start(_ id: JobID, _ command: String) -> Int32 {
    let (seconds, started) = state.withLock { state -> (Int, Int) in
      guard let kind = kinds[command] else { preconditionFailure("no process is called '\(command)'") }
      // An attempt that was not recorded before its host died has the same number again.
      if let former = state.processes[id.run]?[id], former.end == nil {
        state.problems.append("\(command) is running twice")
        state.going.count(id, former.kind, -1)
      }
      var random = state.random[command] ?? SeededRandom(seed: seed, round: Self.number(of: command))
      let seconds = random.element(of: kind.durations)
      let fails = random.next(below: 100) < kind.failures
      state.random[command] = random
      state.processes[id.run, default: [:]][id] = Process(kind: kind)
      state.going.count(id, kind, 1)
      state.started += 1
      check(&state)
      state.counts[command, default: 0] += 1
      return (fails ? -seconds : seconds, state.counts[command] ?? 0)
    }
    let code: Int32 = seconds < 0 ? 1 : 0
    let fraction = isApart ? Int64(Self.number(of: "\(command) \(started)") % 999_999) * 1000 : 0
    let alarm = clock.call(at: clock.nanoseconds + Int64(abs(seconds)) * 1_000_000_000 + fraction) { [self] in
      end(id, .exited(code))
    }
    return state.withLock { state in
      state.processes[id.run]?[id]?.alarm = alarm
      return Int32(truncatingIfNeeded: state.started & 0xFFFFF)
    }
  }

  private static func number(of text: String) -> Int { text.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } }

  /// Checks that the limits are kept.
  private func check(_ state: inout State) {
    let going = state.going
    state.most = max(state.most, going.processes)
    if going.processes > limits.processes {
      state.problems.append("\(going.processes) processes are running, but the limit is \(limits.processes)")
    }
    let runs = going.runs.values.reduce(0) { $0 + $1.count }
    if runs > limits.runs {
      let names = state.processes.values.flatMap(\.values).filter { $0.end == nil }.map(\.kind.pipeline).sorted()
      state.problems.append(
        "\(clock.recordTime.text) \(runs) runs are active, but the limit is \(limits.runs): \(names.joined(separator: " "))"
      )
    }
    for (queue, most) in limits.queues {
      let count = going.runs[queue]?.count ?? 0
      if count > most {
        state.problems.append("\(count) runs of the queue '\(queue)' are active, but the limit is \(most)")
      }
    }
    for (resource, most) in limits.resources {
      let count = going.holders[resource] ?? 0
      if count > most { state.problems.append("\(count) processes hold '\(resource)', but there are only \(most)") }
    }
  }

  private func end(_ id: JobID, _ cause: JobEnd.Cause) {
    let (waiting, alarm) = state.withLock { state -> (CheckedContinuation<JobEnd.Cause, Never>?, UInt64?) in
      guard let process = state.processes[id.run]?[id], process.end == nil else { return (nil, nil) }
      state.going.count(id, process.kind, -1)
      state.processes[id.run]?[id]?.end = cause
      state.processes[id.run]?[id]?.waiting = nil
      return (process.waiting, process.alarm)
    }
    if let alarm { clock.cancel(alarm) }
    waiting?.resume(returning: cause)
  }

  fileprivate func awaitEnd(_ id: JobID) async -> JobEnd.Cause {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> JobEnd.Cause? in
        guard let process = state.processes[id.run]?[id] else { return .lost("there is no such process") }
        if process.end == nil { state.processes[id.run]?[id]?.waiting = continuation }
        return process.end
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// Starts a host: the processes that the former one left are ended.
  func endAll() {
    let going = state.withLock { state in
      state.processes.values.flatMap { $0.filter { $0.value.end == nil }.map(\.key) }
    }
    for id in going { end(id, .signal(SIGKILL)) }
  }

  fileprivate func stop(_ id: JobID, _ signal: Int32) { end(id, .signal(signal)) }

  /// Notes that the host recorded the end of a run.
  fileprivate func forget(_ run: RunID) {
    state.withLock { state in
      for (id, process) in state.processes.removeValue(forKey: run) ?? [:] where process.end == nil {
        state.problems.append(
          "a process of '\(process.kind.pipeline)' is running although its run \(run.text) has ended")
        state.going.count(id, process.kind, -1)
      }
    }
  }

  /// Ends all waits because their host is gone.
  fileprivate func abandon() {
    let waiting = state.withLock { state in
      var waiting: [CheckedContinuation<JobEnd.Cause, Never>] = []
      for (run, processes) in state.processes {
        for (id, process) in processes {
          if let continuation = process.waiting { waiting.append(continuation) }
          state.processes[run]?[id]?.waiting = nil
        }
      }
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: .lost("the host is gone")) }
  }
}

/// The processes of a ``SimulatedMachine`` as one host reaches them, until the host is gone.
final class SimulatedExecutor: Executor, FastDoor {
  let name = LocalExecutor.name
  let keepsHandles = true
  let usesThisMachine = true
  private let machine: SimulatedMachine
  private let isGone = Atomic(false)

  init(_ machine: SimulatedMachine) { self.machine = machine }

  var fastDoor: (any FastDoor)? { self }

  /// Notes that the host is dead: nothing that it still does reaches a process.
  func cut() {
    isGone.store(true, ordering: .sequentiallyConsistent)
    machine.abandon()
  }

  private var isDead: Bool { isGone.load(ordering: .sequentiallyConsistent) }

  func run(
    isolation: isolated (any Actor)?, _ job: Job, begun: (JobHandle, LogFiles) -> Void,
    exited: @escaping @Sendable () -> Void
  ) async throws -> JobEnd {
    guard !isDead else { throw CancellationError() }
    let files = try job.files.take()
    let id = job.id
    // No process has such a number.
    begun(JobHandle(job: id, name: .process(1 << 30 | machine.start(id, job.arguments.last ?? ""))), files)
    let cause = await withTaskCancellationHandler {
      await machine.awaitEnd(id)
    } onCancel: {
      if !isDead { machine.stop(id, SIGTERM) }
    }
    exited()
    return JobEnd(cause: cause, files: files)
  }

  func forget(_ run: RunID) {
    guard !isDead else { return }
    machine.forget(run)
  }

  // Everything is started through the door.

  nonisolated(nonsending) func start(_ job: Job) async -> JobStart { .notBegun(reason: "unused") }
  nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job?) async -> JobEnd { JobEnd(cause: .lost("unused")) }
  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery { .lost(reason: "unused") }
  func stop(_ handles: [JobHandle], grace: Duration) {
    for handle in handles where !isDead { machine.stop(handle.job, grace == .zero ? SIGKILL : SIGTERM) }
  }
}

import Glibc
import OperationsTesting
import RunHistory
import Synchronization

@testable import PipelineEngine

/// What runs the processes of all simulated hosts: each takes the time, and exits with the code, that are drawn for it, and nothing else happens.
///
/// Processes outlive a host that is killed, until the next one ends them. It notes whatever should never happen.
final class SimulatedMachine: Sendable {
  /// How the processes of one operation are.
  struct Kind: Sendable {
    var pipeline: String
    var queue: String
    /// How long they may take, in seconds: few lengths, so that much ends together, as it does where much begins together.
    var durations: [Int]
    /// How many of a hundred fail.
    var failures: Int
    /// What they take of ``Limits/resources``.
    var resource: String?
  }

  /// How much may go on at once.
  struct Limits: Sendable {
    var runs: Int
    var queues: [String: Int]
    var processes: Int
    var resources: [String: Int]
  }

  private struct Process {
    var kind: Kind
    var end: JobEnd.Cause?
    var alarm: UInt64?
    var waiting: CheckedContinuation<JobEnd.Cause, Never>?
  }

  private struct State {
    var processes: [JobID: Process] = [:]
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
  ///   - clock: When processes end.
  ///   - kinds: The processes, by the last argument of their commands.
  ///   - limits: What must never be exceeded.
  ///   - seed: What durations and exit codes are drawn from: those of an operation are the same in each simulation, in their order.
  ///   - isApart: Whether no two processes end at the same time.
  init(_ clock: SimulatedClock, _ kinds: [String: Kind], limits: Limits, seed: UInt64, isApart: Bool) {
    self.isApart = isApart
    self.clock = clock
    self.kinds = kinds
    self.limits = limits
    self.seed = seed
  }

  /// What should never have happened, in the order in which it did.
  var problems: [String] { state.withLock { $0.problems } }
  /// How many processes were started, and how many of them went on at once at most.
  var counts: (started: Int, most: Int) { state.withLock { ($0.started, $0.most) } }
  /// How many go on.
  var going: Int { state.withLock { state in state.processes.values.count { $0.end == nil } } }

  /// Returns a number of the process.
  fileprivate func start(_ id: JobID, _ command: String) -> Int32 {
    let (seconds, started) = state.withLock { state -> (Int, Int) in
      guard let kind = kinds[command] else { preconditionFailure("no process is called '\(command)'") }
      // An attempt that was not recorded before its host died has the same number again.
      if let former = state.processes[id], former.end == nil { state.problems.append("\(command) goes on twice") }
      var random = state.random[command] ?? SeededRandom(seed: seed, round: Self.number(of: command))
      let seconds = random.element(of: kind.durations)
      let fails = random.next(below: 100) < kind.failures
      state.random[command] = random
      state.processes[id] = Process(kind: kind)
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
      state.processes[id]?.alarm = alarm
      return Int32(truncatingIfNeeded: state.started & 0xFFFFF)
    }
  }

  private static func number(of text: String) -> Int { text.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF } }

  /// That nothing goes on which the limits do not allow.
  private func check(_ state: inout State) {
    var processes = 0
    var runs: Set<RunID> = []
    var runsOfQueues = limits.queues.mapValues { _ in Set<RunID>() }
    var holders = limits.resources.mapValues { _ in 0 }
    for (id, process) in state.processes where process.end == nil {
      processes += 1
      runs.insert(id.run)
      runsOfQueues[process.kind.queue]?.insert(id.run)
      if let resource = process.kind.resource { holders[resource]? += 1 }
    }
    state.most = max(state.most, processes)
    if processes > limits.processes {
      state.problems.append("\(processes) processes go on, and \(limits.processes) may")
    }
    if runs.count > limits.runs {
      let names = state.processes.values.filter { $0.end == nil }.map(\.kind.pipeline).sorted().joined(separator: " ")
      state.problems.append("\(clock.recordTime.text) \(runs.count) runs go on, and \(limits.runs) may: \(names)")
    }
    for (queue, most) in limits.queues {
      let count = runsOfQueues[queue]?.count ?? 0
      if count > most { state.problems.append("\(count) runs of the queue '\(queue)' go on, and \(most) may") }
    }
    for (resource, most) in limits.resources {
      let count = holders[resource] ?? 0
      if count > most { state.problems.append("\(count) processes have '\(resource)', of which there are \(most)") }
    }
  }

  private func end(_ id: JobID, _ cause: JobEnd.Cause) {
    let (waiting, alarm) = state.withLock { state -> (CheckedContinuation<JobEnd.Cause, Never>?, UInt64?) in
      guard state.processes[id]?.end == nil else { return (nil, nil) }
      state.processes[id]?.end = cause
      defer { state.processes[id]?.waiting = nil }
      return (state.processes[id]?.waiting, state.processes[id]?.alarm)
    }
    if let alarm { clock.cancel(alarm) }
    waiting?.resume(returning: cause)
  }

  fileprivate func awaitEnd(_ id: JobID) async -> JobEnd.Cause {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> JobEnd.Cause? in
        guard let process = state.processes[id] else { return .lost("there is no such process") }
        if process.end == nil { state.processes[id]?.waiting = continuation }
        return process.end
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// A host begins: what the former one has left behind is ended.
  func endAll() {
    let going = state.withLock { state in state.processes.filter { $0.value.end == nil }.map(\.key) }
    for id in going { end(id, .signal(SIGKILL)) }
  }

  fileprivate func stop(_ id: JobID, _ signal: Int32) { end(id, .signal(signal)) }

  /// The host has recorded the end of a run.
  fileprivate func forget(_ run: RunID) {
    state.withLock { state in
      for (id, process) in state.processes where id.run == run && process.end == nil {
        state.problems.append("a process of '\(process.kind.pipeline)' goes on, and its run \(run.text) has ended")
      }
      state.processes = state.processes.filter { $0.key.run != run }
    }
  }

  /// Nobody waits any more: their host is gone.
  fileprivate func abandon() {
    let waiting = state.withLock { state in
      var waiting: [CheckedContinuation<JobEnd.Cause, Never>] = []
      for id in state.processes.keys {
        if let continuation = state.processes[id]?.waiting { waiting.append(continuation) }
        state.processes[id]?.waiting = nil
      }
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: .lost("the host is gone")) }
  }
}

/// The processes of a ``SimulatedMachine`` as one host reaches them, until that is gone.
final class SimulatedExecutor: Executor, FastDoor {
  let name = LocalExecutor.name
  let keepsHandles = true
  let usesThisMachine = true
  private let machine: SimulatedMachine
  private let isGone = Atomic(false)

  init(_ machine: SimulatedMachine) { self.machine = machine }

  var fastDoor: (any FastDoor)? { self }

  /// The host is dead: nothing that it still does reaches a process.
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

  // Everything is started by the door.

  nonisolated(nonsending) func start(_ jobs: [Job]) async -> [JobStart] {
    jobs.map { _ in .notBegun(reason: "unused") }
  }
  nonisolated(nonsending) func end(of handle: JobHandle) async -> JobEnd { JobEnd(cause: .lost("unused")) }
  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery { .lost(reason: "unused") }
  func stop(_ handles: [JobHandle], grace: Duration) {
    for handle in handles where !isDead { machine.stop(handle.job, grace == .zero ? SIGKILL : SIGTERM) }
  }
}

import Glibc
import OperatingSystem
import Operations
import Synchronization
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

/// How the engine runs the jobs of a ``ScriptedExecutor``.
enum Door: String, CaseIterable, CustomTestStringConvertible {
  /// By one call for each, from its start to its end, like those of this computer.
  case fast
  /// By handles, like those that outlive their host.
  case handles

  var testDescription: String { rawValue }
}

/// An executor in memory: it starts nothing, and its jobs end according to a script. It records the calls that it receives.
///
/// A script contains, for the last argument of a command, the fates of its attempts, in order. A job without a script prints nothing and exits with code 0.
///
/// The engine reaches it by either ``Door``, and its behaviour must not depend on which.
final class ScriptedExecutor: Executor, @unchecked Sendable {
  // @unchecked: accessed only on the event loop, except for what is behind `record`.

  /// The fate of a job.
  enum Fate: Sendable {
    case exits(Int32)
    /// It prints this, and exits with code 0.
    case prints(String)
    case ends(JobEnd.Cause)
    /// It runs until it is stopped or times out.
    case hangs
    case refused(OperationFailure)
    case notBegun
    /// It is not started: the disk has no room for its logs.
    case hasNoRoom
    /// It is not started: the process has no descriptor left.
    case hasNoDescriptor
    /// It has ended so before its end is awaited.
    indirect case ended(Fate)
    /// It is unknown whether it has begun; when recovered, it has this fate.
    indirect case open(Fate)
    /// Its start has no outcome until ``ScriptedExecutor/answer(_:)``; then it exits with code 0.
    case unanswered
  }

  struct Started: Sendable {
    var id: JobID
    var arguments: [String]
    var environment: [String: String]
  }

  private struct Record {
    var fates: [String: [Fate]]
    var started: [Started] = []
    var stops: [(handle: JobHandle, grace: Duration)] = []
    var recoveries: [JobHandle] = []
    var running = 0
    var most = 0
    var hanging: [JobID: CheckedContinuation<JobEnd.Cause, Never>] = [:]
  }

  let door: Door
  let name: String
  let keepsHandles: Bool
  let usesThisMachine: Bool
  private let record: Mutex<Record>
  /// The number of hanging jobs.
  let hangingCount = AwaitedCount()
  /// Called on the event loop with each job that hangs.
  var whenHanging: (JobID) -> Void = { _ in }
  /// Called on the event loop with each job before it starts.
  var whenStarting: (JobID) -> Void = { _ in }
  private var jobs: [JobID: (job: Job, fate: Fate)] = [:]
  /// The starts without an outcome, by the last argument of their commands.
  private var unanswered: [String: CheckedContinuation<Void, Never>] = [:]
  /// How many jobs were prepared and neither started nor discarded. *On the event loop.*
  private(set) var readyCount = 0
  /// How many were discarded. *On the event loop.*
  private(set) var discardedCount = 0

  init(
    _ fates: [String: [Fate]] = [:], by door: Door = .handles, keepsHandles: Bool = true, name: String = "scripted",
    usesThisMachine: Bool = true
  ) {
    self.door = door
    self.name = name
    self.usesThisMachine = usesThisMachine
    self.keepsHandles = keepsHandles
    record = Mutex(Record(fates: fates))
  }

  convenience init(exits: [String: [Int32]], by door: Door = .handles, keepsHandles: Bool = true) {
    self.init(exits.mapValues { $0.map { .exits($0) } }, by: door, keepsHandles: keepsHandles)
  }

  /// The jobs that were started, in order.
  var started: [Started] { record.withLock { $0.started } }
  /// The last argument of each started job, in order.
  var commands: [String] { started.map { $0.arguments.last ?? "" } }
  var stops: [(handle: JobHandle, grace: Duration)] { record.withLock { $0.stops } }
  /// The number of known jobs that have not ended. *On the event loop.*
  var jobCount: Int { jobs.count }
  var recoveries: [JobHandle] { record.withLock { $0.recoveries } }
  /// The maximum number of concurrent jobs.
  var mostAtOnce: Int { record.withLock { $0.most } }

  // MARK: Executor

  nonisolated(nonsending) func start(_ job: Job) async -> JobStart {
    let fate = takeFate(of: job)
    if case .unanswered = fate { await withCheckedContinuation { unanswered[job.arguments.last ?? ""] = $0 } }
    return start(job, fate)
  }

  private func takeFate(of job: Job) -> Fate {
    whenStarting(job.id)
    return record.withLock { record -> Fate in
      let key = job.arguments.last ?? ""
      record.started.append(
        Started(id: job.id, arguments: job.arguments, environment: job.variables))
      guard var left = record.fates[key], !left.isEmpty else { return .exits(0) }
      let next = left.removeFirst()
      record.fates[key] = left
      return next
    }
  }

  private func start(_ job: Job, _ fate: Fate) -> JobStart {
    switch fate {
    case .refused(let failure): return .refused(failure)
    case .notBegun: return .notBegun(reason: "there is no room")
    case .hasNoRoom: return .refused(EngineError.file("1.out", ENOSPC))
    case .hasNoDescriptor: return .refused(EngineError.file("1.out", EMFILE))
    case .open(let hidden):
      jobs[job.id] = (job, hidden)
      return .open(JobHandle(job: job.id, name: .open))
    case .exits, .prints, .ends, .hangs, .ended, .unanswered:
      jobs[job.id] = (job, fate)
      record.withLock { record in
        record.running += 1
        record.most = max(record.most, record.running)
      }
      return .begun(handle(of: job.id))
    }
  }

  /// Answers a start that has no outcome yet. *On the event loop.*
  func answer(_ command: String) { unanswered.removeValue(forKey: command)?.resume() }

  private func handle(of id: JobID) -> JobHandle {
    switch door {
    // No process has such an id.
    case .fast: JobHandle(job: id, name: .process(1 << 30 + Int32(started.count)))
    case .handles: JobHandle(job: id, name: .text("\(id.run.text)-\(id.ordinal)-\(id.attempt)"))
    }
  }

  nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job?) async -> JobEnd {
    guard let (job, fate) = jobs[handle.job] else { return JobEnd(cause: .lost("there is no such job")) }
    var end = end(of: job, fate)
    if case .hangs = fate { end.cause = await hang(handle.job) }
    // Everything else that the engine starts is started in the meantime.
    for _ in 0..<10 { await Task.yield() }
    record.withLock { $0.running -= 1 }
    jobs[handle.job] = nil
    return end
  }

  private func end(of job: Job, _ fate: Fate) -> JobEnd {
    switch fate {
    case .hangs: JobEnd(cause: .unknown)
    case .exits(let code): JobEnd(cause: .exited(code))
    case .unanswered: JobEnd(cause: .exited(0))
    case .prints(let text): JobEnd(cause: .exited(0), files: write(text, of: job))
    case .ends(let cause): JobEnd(cause: cause)
    case .ended(let fate): end(of: job, fate)
    case .refused, .notBegun, .hasNoRoom, .hasNoDescriptor, .open: JobEnd(cause: .lost("it has not begun"))
    }
  }

  private nonisolated(nonsending) func hang(_ id: JobID) async -> JobEnd.Cause {
    var hangs = false
    defer { if hangs { hangingCount.add(-1) } }
    return await withCheckedContinuation { continuation in
      let stop = record.withLock { record in
        let stop = record.stops.first { $0.handle.job == id }
        if stop == nil { record.hanging[id] = continuation }
        return stop
      }
      if let stop { return continuation.resume(returning: Self.cause(of: stop.grace)) }
      hangs = true
      hangingCount.add(1)
      whenHanging(id)
    }
  }

  private static func cause(of grace: Duration) -> JobEnd.Cause { .signal(grace == .zero ? SIGKILL : SIGTERM) }

  private func write(_ output: String, of job: Job) -> LogFiles? {
    guard let files = (job.prepared as? Ready)?.files ?? (try? job.files.take()) else { return nil }
    let log = open(files.output.string, O_WRONLY | O_APPEND)
    try? SystemCall.writeAll(Array(output.utf8), to: log)
    close(log)
    return files
  }

  func stop(_ handles: [JobHandle], grace: Duration) {
    for handle in handles {
      let hanging = record.withLock { record in
        record.stops.append((handle, grace))
        return record.hanging.removeValue(forKey: handle.job)
      }
      hanging?.resume(returning: Self.cause(of: grace))
    }
  }

  /// Ends a hanging job, by the last argument of its command.
  func release(_ command: String, _ cause: JobEnd.Cause = .exited(0)) {
    for (id, entry) in jobs where entry.job.arguments.last == command {
      record.withLock { $0.hanging.removeValue(forKey: id) }?.resume(returning: cause)
    }
  }

  /// Ends all hanging jobs.
  func releaseAll() {
    let all = record.withLock { record in
      defer { record.hanging = [:] }
      return record.hanging
    }
    for continuation in all.values { continuation.resume(returning: .unknown) }
  }

  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery {
    record.withLock { $0.recoveries.append(handle) }
    guard let (job, fate) = jobs[handle.job] else { return .lost(reason: "there is no such job") }
    switch fate {
    case .ended(let fate): return .ended(end(of: job, fate))
    case .notBegun:
      jobs[handle.job] = nil
      return .notBegun(reason: "it was never seen")
    case .refused(let failure): return .ended(JobEnd(cause: .refused(failure)))
    case .ends(.lost(let reason)): return .lost(reason: reason)
    case .exits, .prints, .ends, .hangs, .hasNoRoom, .hasNoDescriptor, .open, .unanswered:
      record.withLock { $0.running += 1 }
      return .running(self.handle(of: handle.job))
    }
  }

  /// Adopts what a former host has started, each job with a fate by the last argument of its command.
  func inherit(_ former: ScriptedExecutor, _ fates: [String: Fate]) {
    for (id, entry) in former.jobs { jobs[id] = (entry.job, fates[entry.job.arguments.last ?? ""] ?? .hangs) }
  }

  // MARK: The fast path

  var fastDoor: (any FastDoor)? { door == .fast ? self : nil }

  /// The files of a job, which jobs of this computer have before they start.
  fileprivate final class Ready {
    let files: LogFiles

    init(_ job: Job) throws { files = try job.files.take() }
  }

  func makeReady(_ job: Job) throws {
    guard door == .fast, job.prepared == nil else { return }
    job.prepared = try Ready(job)
    readyCount += 1
  }

  func discard(_ job: Job) {
    guard let ready = job.prepared as? Ready else { return }
    job.prepared = nil
    job.files.giveBack(ready.files)
    readyCount -= 1
    discardedCount += 1
  }

  // MARK: Time limits

  /// Returns a delayer for time limits, which pass once a job hangs: nothing else takes time here.
  func limits(_ clock: any OperationClock & OperationDelayer) -> any OperationDelayer {
    Limits(executor: self, clock: clock)
  }

  private struct Limits: OperationDelayer {
    let executor: ScriptedExecutor
    let clock: any OperationClock & OperationDelayer

    nonisolated(nonsending) func delay(for duration: Duration) async throws {
      try await executor.hangingCount.reaches(1)
      try await clock.delay(for: duration)
    }
  }
}

extension ScriptedExecutor: FastDoor {
  /// A job runs and ends as by handles, but its start is never open, and it is never started again freely.
  func run(
    isolation: isolated (any Actor)?, _ job: Job, begun: (JobHandle, LogFiles) -> Void,
    exited: @escaping @Sendable () -> Void
  ) async throws -> JobEnd {
    try makeReady(job)
    guard let ready = job.prepared as? Ready else { preconditionFailure("'\(job.operation)' was made ready by others") }
    let handle: JobHandle
    switch start(job, takeFate(of: job)) {
    case .begun(let known): handle = known
    case .refused(let error):
      discard(job)
      throw error
    case .notBegun, .open: preconditionFailure("jobs of the fast door begin, or are refused")
    }
    readyCount -= 1
    begun(handle, ready.files)
    let grace = job.grace
    var ended = await withTaskCancellationHandler {
      await end(of: handle, nil)
    } onCancel: {
      stop([handle], grace: grace)
    }
    ended.files = ready.files
    exited()
    return ended
  }
}

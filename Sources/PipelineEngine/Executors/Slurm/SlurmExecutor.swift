import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import SlurmJobs

/// Runs jobs on a Slurm cluster.
///
/// Slurm decides where and when; the attempt's own end record decides what came of it. The number of a job is not its identity, because a controller that
/// dies forgets it and gives it to another one: each start has a token, which names its directory. Everything that may wait for a file or for Slurm happens
/// off the event loop or in a client. *On the event loop.*
final class SlurmExecutor: Executor, @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  let cluster: SiteDefinition.Cluster
  var name: String { cluster.name }
  var keepsHandles: Bool { false }
  var usesThisMachine: Bool { false }
  var keepsTimeLimits: Bool { true }

  private let submitter: SlurmSubmitter
  private let watch: SlurmWatch
  private let stops: SlurmStops
  private let delayer: LoopDelayer
  /// What stops jobs of former hosts, by run.
  private var stopping: [RunID: [Task<Void, Never>]] = [:]
  /// How long Slurm must have answered without an attempt whose submission is open, before it certainly is not there.
  private static let openPatience = Duration.seconds(15)

  /// `patience` is how long Slurm must report that it never starts a job before the attempt fails; nil for the default.
  init(
    _ cluster: SiteDefinition.Cluster, local: LocalExecutor, time: HostClock, inherited: ProcessEnvironment,
    directory: String, patience: Duration? = nil
  ) {
    self.cluster = cluster
    delayer = LoopDelayer(loop: local.loop)
    let clients = SlurmClients(local: local, inherited: inherited, interval: cluster.queue.interval)
    let waits = SlurmWaits(cluster, clients: clients, time: time, patience: patience)
    watch = SlurmWatch(cluster, clients: clients, waits: waits, loop: local.loop)
    submitter = SlurmSubmitter(
      cluster, clients: clients, loop: local.loop, directory: directory, watch: watch, waits: waits)
    stops = SlurmStops(clients: clients, watch: watch, loop: local.loop)
  }

  func inherited(from host: ProcessEnvironment) -> ProcessEnvironment? {
    var passed: [String: String] = [:]
    for name in cluster.pass { passed[name] = host[name] }
    return ProcessEnvironment(passed)
  }

  nonisolated(nonsending) func start(_ job: Job) async -> JobStart { await submitter.submit(job) }

  nonisolated(nonsending) func end(of handle: JobHandle, _ job: Job?) async -> JobEnd {
    guard let attempt = watch.attempt(of: handle) else {
      return JobEnd(cause: .lost("this host does not watch it"))
    }
    let end = await attempt.awaitEnd(job)
    watch.remove(attempt)
    return end
  }

  func stop(_ handles: [JobHandle], grace: Duration) {
    stops.stop(handles.compactMap(watch.attempt), grace: grace)
    for handle in handles where watch.attempt(of: handle) == nil {
      let task = Task(executorPreference: delayer.loop) { await self.stopFormer(handle, grace: grace) }
      stopping[handle.job.run, default: []].append(task)
    }
  }

  /// Stops a job of a former host, if there still is one, and returns when it has ended.
  private nonisolated(nonsending) func stopFormer(_ handle: JobHandle, grace: Duration) async {
    guard case .running(let known) = await recover(handle), let attempt = watch.attempt(of: known) else { return }
    stops.stop([attempt], grace: grace)
    _ = await end(of: known, nil)
  }

  // MARK: Recovery

  nonisolated(nonsending) func recover(_ handle: JobHandle) async -> JobRecovery {
    let run = "\(cluster.shared)/\(handle.job.run.text)"
    let identity = SlurmAttempt.identity(in: handle)
    let prefix = AttemptToken.prefix(
      run: handle.job.run.text, ordinal: handle.job.ordinal, attempt: handle.job.attempt)
    let found = await BlockingWork.run { Self.start(in: run, token: identity?.token, prefix: prefix) }
    guard let found else { return .notBegun(reason: "it was not submitted") }
    if found.claim == .host { return .notBegun(reason: "it did not begin") }
    let attempt = SlurmAttempt(
      job: handle.job, folder: found.folder, batch: found.batch, index: found.index,
      number: identity?.number ?? found.number)
    attempt.hasBegun = found.claim != nil
    if found.claim != nil || found.hasEnded { return running(attempt) }
    return await lookUp(attempt)
  }

  private func running(_ attempt: SlurmAttempt) -> JobRecovery {
    watch.add(attempt)
    return .running(attempt.handle)
  }

  /// Asks Slurm for an attempt that nobody has claimed. If it is not there, it is claimed, so that a late job finds it taken.
  private nonisolated(nonsending) func lookUp(_ attempt: SlurmAttempt) async -> JobRecovery {
    var silentSince: ContinuousClock.Instant?
    while silentSince.map({ .now - $0 < Self.openPatience }) ?? true {
      if let listing = await watch.listing() {
        if let entry = listing.entry(batch: attempt.batch.text, job: attempt.number, index: attempt.index),
          entry.state.end == nil
        {
          attempt.number = entry.job
          return running(attempt)
        }
        silentSince = silentSince ?? .now
      }
      do { try await delayer.delay(for: .seconds(3)) } catch { break }
    }
    guard await watch.claim(attempt) else {
      attempt.hasBegun = true
      return running(attempt)
    }
    return .notBegun(reason: "Slurm does not know it")
  }

  private struct Start: Sendable {
    var folder: AttemptFolder
    var batch: AttemptToken
    var index: Int
    var claim: AttemptFolder.Claim?
    var hasEnded: Bool
    /// The number of the array in the words of the claim.
    var number: Int64?
  }

  /// Returns the latest start of an attempt that was submitted: the one with this token, or one that the host has not given up.
  private static func start(in run: String, token: AttemptToken?, prefix: String) -> Start? {
    let names = token.map { [$0.text] } ?? DirectoryNames.of(run).filter { $0.hasPrefix(prefix) }
    let starts = names.compactMap { AttemptToken($0) }.compactMap { token -> Start? in
      let folder = AttemptFolder(run: run, token: token)
      guard let place = BatchFolder.place(of: folder) else { return nil }
      let claim = folder.claim
      var number: Int64?
      if case .worker(let words) = claim { number = words.split(separator: " ").first.flatMap { SlurmJobID($0)?.job } }
      return Start(
        folder: folder, batch: place.batch.token, index: place.index, claim: claim, hasEnded: folder.record != nil,
        number: number)
    }
    return starts.first { $0.hasEnded } ?? starts.first { $0.claim != .host } ?? starts.first
  }

  // MARK: The end of a run

  nonisolated(nonsending) func forget(_ run: RunID) async {
    let path = "\(cluster.shared)/\(run.text)"
    for task in stopping.removeValue(forKey: run) ?? [] { await task.value }
    watch.forget(run)
    await BlockingWork.run { Self.remove(path) }
  }

  private static func remove(_ path: String) {
    guard let slash = path.lastIndex(of: "/"), let folder = try? Folder(String(path[..<slash])) else { return }
    folder.remove(String(path[path.index(after: slash)...]))
  }
}

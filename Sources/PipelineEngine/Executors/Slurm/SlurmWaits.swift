import OperatingSystem
import PipelineLanguage
import RunHistory
import SlurmJobs
import Values

/// Tells each attempt why it waits, as Slurm reports it, and refuses those that Slurm has accepted but never starts. *On the event loop.*
final class SlurmWaits: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// How long Slurm must report a reason that never passes before the attempt fails: an administrator may be changing the configuration. Default.
  static let patience = Duration.seconds(120)
  /// How often a changed estimate of the start is recorded.
  private static let interval = Duration.seconds(30)
  /// How much the estimate has to change.
  private static let step: Int64 = 60_000_000
  /// How many jobs one call of `scancel` gets.
  private static let most = 500

  private let cluster: SiteDefinition.Cluster
  private let clients: SlurmClients
  private let time: HostClock
  private let patience: Duration
  /// The last answer of Slurm, or the start of this host.
  private var answeredAt: RecordTime

  init(_ cluster: SiteDefinition.Cluster, clients: SlurmClients, time: HostClock, patience: Duration?) {
    self.cluster = cluster
    self.clients = clients
    self.time = time
    self.patience = patience ?? Self.patience
    answeredAt = time.now()
  }

  /// Notes that Slurm has answered.
  func noteAnswer() { answeredAt = time.now() }

  /// Notes that Slurm does not answer.
  func noteSilence(of attempts: [SlurmAttempt]) {
    for attempt in attempts {
      var wait = attempt.wait.told ?? self.wait(attempt, attempt.hasBegun ? .running : .waiting)
      wait.silentSince = answeredAt
      attempt.tell(wait)
    }
  }

  /// Notes that a job is waiting for its submission, and why.
  func noteHeldBack(_ job: Job, because why: String) {
    var wait = OperationReason.ExecutorWait(executor: cluster.name)
    (wait.why, wait.demand) = (why, demand(of: job))
    job.whenWaiting(wait)
  }

  /// Notes that a job is waiting for room, because this host has as many attempts in Slurm as the site allows.
  func noteHeldBack(_ jobs: [Job]) {
    for job in jobs {
      noteHeldBack(
        job, because: "\(Count.of(cluster.queue.most, "attempt")) are in Slurm, as many as 'queue.most' allows")
    }
  }

  /// Notes what Slurm reports about an attempt that has not ended.
  func note(_ entry: QueueEntry, for attempt: SlurmAttempt) {
    attempt.wait.hopelessSince = isHopeless(entry, attempt) ? attempt.wait.hopelessSince ?? .now : nil
    guard let next = wait(entry, for: attempt) else { return attempt.tell(nil) }
    if let told = attempt.wait.told, let since = attempt.wait.toldAt {
      var other = told
      other.start = next.start
      let change = (next.start?.microseconds ?? 0) - (told.start?.microseconds ?? 0)
      if other == next, .now - since < Self.interval || abs(change) < Self.step { return }
    }
    attempt.tell(next)
  }

  private func wait(_ entry: QueueEntry, for attempt: SlurmAttempt) -> OperationReason.ExecutorWait? {
    var wait: OperationReason.ExecutorWait
    switch entry.state {
    case .suspended: wait = self.wait(attempt, .suspended)
    case .waiting, .configuring, .held:
      guard !attempt.hasBegun else { return nil }
      wait = self.wait(attempt, .waiting)
    case .running, .unknown, .revoked, .ended: return nil
    }
    wait.state = entry.stateName
    wait.partition = entry.partition.isEmpty ? nil : entry.partition
    wait.since = entry.submitted.map { RecordTime(secondsSince1970: Double($0)) }
    guard wait.phase == .waiting else { return wait }
    wait.start = entry.start.map { RecordTime(secondsSince1970: Double($0)) }
    let reason = WaitReason(entry.reason)
    wait.word = reason?.word
    wait.why = reason?.sentence
    switch entry.state {
    case .configuring: wait.why = "its nodes are being prepared"
    case .held where reason?.outlook != .needsPerson:
      wait.why = "it is held; `scontrol release` lets it start, or an administrator has to release it"
    default: break
    }
    if reason?.outlook == .never {
      wait.why = "Slurm never starts it: \(wait.why ?? "this does not change"); the attempt fails if that lasts"
    }
    return wait
  }

  private func wait(_ attempt: SlurmAttempt, _ phase: OperationReason.ExecutorWait.Phase)
    -> OperationReason.ExecutorWait
  {
    var wait = OperationReason.ExecutorWait(executor: cluster.name, phase: phase)
    wait.job = attempt.slurmID
    wait.demand = attempt.awaited.flatMap(demand)
    return wait
  }

  // MARK: What never starts

  private func isHopeless(_ entry: QueueEntry, _ attempt: SlurmAttempt) -> Bool {
    guard entry.state == .waiting, !attempt.hasBegun else { return false }
    return WaitReason(entry.reason)?.outlook == .never
  }

  /// Claims the attempts whose jobs have been unable to start for a while, cancels the jobs, and lets the attempts fail.
  nonisolated(nonsending) func refuse(among attempts: [SlurmAttempt], asking watch: SlurmWatch) async {
    var ids: [String] = []
    for attempt in attempts {
      guard let since = attempt.wait.hopelessSince, .now - since >= patience, attempt.end == nil,
        await watch.claim(attempt)
      else { continue }
      ids += attempt.slurmID.map { [$0] } ?? []
      attempt.finish(JobEnd(cause: .refused(.submitRefused(refusal(of: attempt)))))
    }
    var rest = ids[...]
    while !rest.isEmpty {
      _ = await clients.call("scancel", Array(rest.prefix(Self.most)))
      rest = rest.dropFirst(Self.most)
    }
  }

  private func refusal(of attempt: SlurmAttempt) -> String {
    let told = attempt.wait.told
    let partition = told?.partition.map { " of the partition '\($0)'" } ?? ""
    let meaning = told?.word.flatMap { WaitReason($0) }?.sentence.map { ": \($0)" } ?? ""
    return
      "Slurm never starts job \(attempt.slurmID ?? "?")\(partition), which is PENDING (\(told?.word ?? "?"))\(meaning)"
  }

  // MARK: Words

  /// Returns what a job asks for: `8 CPUs, 16GiB, 1 GPU`; nil if it says nothing about it.
  private func demand(of job: Job) -> String? {
    let demand = (job.use ?? ExecutorUse()).demand(attempt: job.id.attempt, site: cluster.defaults)
    var words: [String] = []
    if let cpus = demand[.cpus].flatMap({ Int($0) }) { words.append(Count.of(cpus, "CPU")) }
    if let memory = demand[.memory].flatMap({ Int64($0) }) { words.append(SizeNotation.format(memory << 20)) }
    if let gpus = demand[.gpus] {
      let parts = gpus.split(separator: ":")
      let kind = parts.count > 1 ? "\(parts[0]) " : ""
      words.append(parts.last == "1" ? "1 \(kind)GPU" : "\(parts.last ?? "") \(kind)GPUs")
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}

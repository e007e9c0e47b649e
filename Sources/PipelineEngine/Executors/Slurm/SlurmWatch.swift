import Glibc
import OperatingSystem
import PipelineLanguage
import RunHistory
import SlurmJobs

/// Watches attempts: their files, where ends come first, and the answers of `squeue`, one for all of them. *On the event loop.*
final class SlurmWatch: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// How long Slurm must not know an attempt before it counts as unknown: it may be asked while a submission is on its way.
  private static let patience = Duration.seconds(15)
  /// The age of `beat`, in seconds, at which a worker that Slurm does not know is lost.
  private static let silence: Int64 = 600
  /// The longest pause after clients that failed.
  private static let longestPause = Duration.seconds(60)

  private let cluster: SiteDefinition.Cluster
  private let clients: SlurmClients
  private let loop: EventLoop
  private let delayer: LoopDelayer
  private let ends: SlurmEnds
  private let waits: SlurmWaits
  let failedNodes = FailedNodes()
  private var attempts: [AttemptToken: SlurmAttempt] = [:]
  private var isLooking = false
  private var isPolling = false
  private var nextPoll = ContinuousClock.now
  private var pause: Duration
  private var asking: Task<LoopBound<QueueListing?>, Never>?

  /// How often the files are looked at. A network file system shows new ones late anyway.
  private let interval: Duration

  init(_ cluster: SiteDefinition.Cluster, clients: SlurmClients, waits: SlurmWaits, loop: EventLoop) {
    self.cluster = cluster
    self.clients = clients
    self.waits = waits
    self.loop = loop
    delayer = LoopDelayer(loop: loop)
    pause = cluster.queue.poll
    let isRemote = FileSystem.networkName(at: cluster.shared) != nil
    interval = isRemote ? .seconds(1) : .milliseconds(200)
    ends = SlurmEnds(settle: isRemote ? .seconds(60) : .seconds(3), delayer: delayer)
  }

  /// The number of attempts that may be in Slurm.
  var count: Int { attempts.count }

  func attempt(of handle: JobHandle) -> SlurmAttempt? {
    SlurmAttempt.identity(in: handle).flatMap { attempts[$0.token] }
  }

  func add(_ attempt: SlurmAttempt) {
    attempts[attempt.token] = attempt
    guard !isLooking else { return }
    isLooking = true
    nextPoll = .now + cluster.queue.poll
    Task(executorPreference: loop) { await self.look() }
  }

  func remove(_ attempt: SlurmAttempt) { attempts[attempt.token] = nil }

  /// Drops the attempts of a run, which has ended.
  func forget(_ run: RunID) {
    failedNodes.forget(run)
    attempts = attempts.filter { $0.value.job.run != run }
  }

  /// Claims an attempt for the host, so that it never begins. Returns false if it has begun.
  nonisolated(nonsending) func claim(_ attempt: SlurmAttempt) async -> Bool {
    let folder = attempt.folder
    // What cannot be claimed may begin.
    return await BlockingWork.run { folder.giveUp() }
  }

  // MARK: Files

  private nonisolated(nonsending) func look() async {
    while !attempts.isEmpty {
      await lookAtFiles()
      if ContinuousClock.now >= nextPoll, !isPolling {
        isPolling = true
        // A controller that does not answer must not delay the ends.
        Task(executorPreference: loop) { await self.poll() }
      }
      do { try await delayer.delay(for: interval) } catch { break }
    }
    isLooking = false
  }

  private nonisolated(nonsending) func lookAtFiles() async {
    let open = attempts.values.filter { $0.isAwaited && !$0.isEnding }
    let glances = open.map(AttemptGlance.init)
    let seen = await BlockingWork.run { AttemptGlance.look(glances) }
    for attempt in open {
      guard let glance = seen[attempt.token] else { continue }
      if !attempt.hasBegun { attempt.tell(nil) }
      attempt.hasBegun = true
      attempt.takeFiles()
      attempt.copied = glance.copied
      if glance.hasEnded { determine(attempt) }
    }
  }

  /// Determines the end of an attempt that has an end record, or whose job has ended.
  private func determine(_ attempt: SlurmAttempt, _ entry: QueueEntry? = nil) {
    guard !attempt.isEnding else { return }
    attempt.isEnding = true
    let bound = LoopBound(attempt)
    Task(executorPreference: loop) {
      let attempt = bound.value
      if let end = await self.ends.end(of: attempt, entry, asking: self) { attempt.finish(end) }
      attempt.isEnding = false
    }
  }

  // MARK: Slurm

  /// Asks Slurm for the states of all jobs of the user, in a call that begins after this one. Callers that come before it begins share it. Nil if Slurm does
  /// not answer.
  nonisolated(nonsending) func listing() async -> QueueListing? {
    if let asking { return await asking.value.value }
    let task = Task(executorPreference: loop) { () -> LoopBound<QueueListing?> in
      // Until the next turn of the loop, others may join.
      await Task.yield()
      self.asking = nil
      let reply = await self.clients.call("squeue", ["--me", "--states=all", "--format=\(QueueListing.format)"])
      let listing = reply.code == 0 ? QueueListing(text: reply.output) : nil
      if listing != nil { self.waits.noteAnswer() }
      return LoopBound(listing)
    }
    asking = task
    return await task.value.value
  }

  private nonisolated(nonsending) func poll() async {
    defer {
      isPolling = false
      nextPoll = .now + pause
    }
    guard let listing = await listing() else {
      pause = min(pause * 2, Self.longestPause)
      waits.noteSilence(of: attempts.values.filter { $0.isAwaited && !$0.isEnding })
      return
    }
    pause = cluster.queue.poll
    for attempt in Array(attempts.values) where attempt.isAwaited && !attempt.isEnding {
      let entry = listing.entry(batch: attempt.batch.text, job: attempt.number, index: attempt.index)
      guard let entry else {
        attempt.tell(nil)
        await isMissing(attempt)
        continue
      }
      attempt.missingSince = nil
      if entry.state.end != nil { determine(attempt, entry) } else { waits.note(entry, for: attempt) }
    }
    await waits.refuse(among: Array(attempts.values), asking: self)
  }

  /// Slurm does not know an attempt: it has forgotten it, or it ended long ago.
  private nonisolated(nonsending) func isMissing(_ attempt: SlurmAttempt) async {
    let since = attempt.missingSince ?? .now
    attempt.missingSince = since
    guard .now - since >= Self.patience else { return }
    if !attempt.hasBegun, await claim(attempt) {
      return attempt.finish(JobEnd(cause: .notBegun("Slurm does not know it any more")))
    }
    attempt.hasBegun = true
    let folder = attempt.folder
    let silence = await BlockingWork.run { () -> Int64? in
      try? SharedFile.write(Array("stop".utf8), to: folder.stop)
      return folder.record == nil ? folder.silence(at: Int64(time(nil))) : nil
    }
    guard let silence, silence >= Self.silence, attempt.end == nil else { return }
    attempt.finish(
      JobEnd(cause: .lost("Slurm does not know it, and nothing was heard of it for \(silence / 60) minutes")))
  }
}

/// What is known of an attempt before its files are looked at, and afterwards.
private struct AttemptGlance: Sendable {
  let folder: AttemptFolder
  private let logs: (output: String, error: String)?
  private(set) var copied: (output: Int64, error: Int64)
  private(set) var hasEnded = false
  private let hasBegun: Bool

  init(_ attempt: SlurmAttempt) {
    folder = attempt.folder
    logs = attempt.files.map { ($0.output.string, $0.error.string) }
    copied = attempt.copied
    hasBegun = attempt.hasBegun
  }

  /// Returns those that have begun. Ends and beginnings are found by listing one directory for each run.
  static func look(_ glances: [AttemptGlance]) -> [AttemptToken: AttemptGlance] {
    var names: [String: Set<String>] = [:]
    for run in Set(glances.map(\.folder.run)) { names[run] = Set(DirectoryNames.of(AttemptFolder.ends(of: run))) }
    var seen: [AttemptToken: AttemptGlance] = [:]
    for var glance in glances {
      let known = names[glance.folder.run] ?? []
      glance.hasEnded = known.contains(glance.folder.token.text)
      guard glance.hasBegun || glance.hasEnded || known.contains(glance.folder.beginning) else { continue }
      glance.copy()
      seen[glance.folder.token] = glance
    }
    return seen
  }

  private mutating func copy() {
    guard let logs else { return }
    let output = try? SharedFile.append(from: folder.output, after: copied.output, to: logs.output)
    let error = try? SharedFile.append(from: folder.error, after: copied.error, to: logs.error)
    copied = (copied.output + (output ?? 0), copied.error + (error ?? 0))
  }
}

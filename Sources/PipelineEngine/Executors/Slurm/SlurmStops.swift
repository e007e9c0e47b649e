import SlurmJobs

/// Stops attempts. What has not begun is claimed, so that it never begins; what has is asked to end, by Slurm and by a file. *On the event loop.*
final class SlurmStops: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// How many jobs one call of `scancel` gets.
  private static let most = 500
  /// How long requests are collected.
  private static let window = Duration.milliseconds(100)
  /// What a worker gets in addition to the grace before Slurm ends its job.
  private static let allowance = Duration.seconds(15)

  private let clients: SlurmClients
  private let watch: SlurmWatch
  private let loop: EventLoop
  private var waiting: [(attempt: SlurmAttempt, grace: Duration)] = []

  init(clients: SlurmClients, watch: SlurmWatch, loop: EventLoop) {
    self.clients = clients
    self.watch = watch
    self.loop = loop
  }

  func stop(_ attempts: [SlurmAttempt], grace: Duration) {
    guard !attempts.isEmpty else { return }
    for attempt in attempts { attempt.isStopped = true }
    waiting += attempts.map { ($0, grace) }
    guard waiting.count == attempts.count else { return }
    _ = loop.schedule(after: Self.window) { [self] in
      let requests = LoopBound(waiting)
      waiting = []
      Task(executorPreference: loop) { await self.stop(requests.value) }
    }
  }

  private nonisolated(nonsending) func stop(_ requests: [(attempt: SlurmAttempt, grace: Duration)]) async {
    var (idle, gentle, hard): ([SlurmAttempt], [SlurmAttempt], [SlurmAttempt]) = ([], [], [])
    for (attempt, grace) in requests where attempt.end == nil {
      if !attempt.hasBegun, await watch.claim(attempt) {
        idle.append(attempt)
        continue
      }
      let (path, word) = (attempt.folder.stop, grace == .zero ? "kill" : "stop")
      await BlockingWork.run { try? SharedFile.write(Array(word.utf8), to: path) }
      if grace == .zero { hard.append(attempt) } else { gentle.append(attempt) }
    }
    await cancel(idle)
    for attempt in idle { attempt.finish(JobEnd(cause: .notBegun("it was cancelled before it began"))) }
    await cancel(gentle, ["--batch", "--signal=TERM"])
    await cancel(hard)
    guard let longest = requests.map(\.grace).max(), !gentle.isEmpty else { return }
    let late = LoopBound(gentle)
    _ = loop.schedule(after: longest + Self.allowance) { [self] in
      Task(executorPreference: loop) { await self.cancel(late.value.filter { $0.end == nil }) }
    }
  }

  /// Cancels jobs, or sends them a signal. Only what has both the number and the token is meant: the number may belong to another job by now.
  private nonisolated(nonsending) func cancel(_ attempts: [SlurmAttempt], _ options: [String] = []) async {
    guard !attempts.isEmpty, let listing = await watch.listing() else { return }
    let known = attempts.filter { attempt in
      listing.entry(batch: attempt.batch.text, job: attempt.number, index: attempt.index).map { $0.state.end == nil }
        ?? false
    }
    var ids = known.compactMap(\.slurmID)[...]
    while !ids.isEmpty {
      _ = await clients.call("scancel", options + ids.prefix(Self.most))
      ids = ids.dropFirst(Self.most)
    }
  }
}

import Glibc
import OperatingSystem
import SlurmJobs

/// Determines how an attempt has ended: its own record decides, and Slurm explains. *On the event loop.*
struct SlurmEnds {
  /// How long files of a node may need to be seen here.
  let settle: Duration
  let delayer: LoopDelayer
  /// How long Slurm may need to end a job whose attempt has ended.
  private static let patience = Duration.seconds(60)

  /// Determines the end of an attempt.
  ///
  /// - Parameters:
  ///   - attempt: An attempt that has a record, or whose job has ended.
  ///   - entry: What Slurm says about a job that has ended.
  ///   - watch: Asks Slurm.
  /// - Returns: The end; nil if it cannot be determined yet.
  nonisolated(nonsending) func end(
    of attempt: SlurmAttempt, _ entry: QueueEntry?, asking watch: SlurmWatch
  ) async -> JobEnd? {
    let folder = attempt.folder
    if let record = await BlockingWork.run({ folder.record }) { return await end(of: attempt, record, asking: watch) }
    guard let entry, let state = entry.state.end else { return nil }
    try? await delayer.delay(for: settle)
    if let record = await BlockingWork.run({ folder.record }) { return await end(of: attempt, record, asking: watch) }
    guard attempt.end == nil else { return nil }
    if state == .nodeFailed { watch.failedNodes.note(entry.nodes, of: attempt.job) }
    let isOurs = await watch.claim(attempt)
    let log = BatchFolder(run: folder.run, token: attempt.batch).log(attempt.index)
    // Where the shared file system is full, neither the worker nor the host can claim it.
    let (words, isUnclaimed) = await BlockingWork.run { (SharedFile.end(of: log), isOurs || folder.claim == nil) }
    let verdict = SlurmVerdict(withoutRecord: state, entry, log: words)
    if isUnclaimed, attempt.isStopped || [.completed, .failed, .nodeFailed, .preempted].contains(state) {
      return JobEnd(cause: .notBegun(verdict.words ?? "its job ended without it"))
    }
    attempt.takeFiles()
    return await self.end(of: attempt, cause: cause(of: verdict), used: nil, keepsResult: false)
  }

  private nonisolated(nonsending) func end(
    of attempt: SlurmAttempt, _ record: EndRecord, asking watch: SlurmWatch
  ) async -> JobEnd {
    var cause = Self.cause(of: record)
    var isSignal = false
    if case .signal = record.cause { isSignal = true }
    if !attempt.isStopped, isSignal || record.wasStopped {
      let verdict = await verdict(of: attempt, record, asking: watch)
      if verdict != .recorded { cause = self.cause(of: verdict) }
      if case .nodeFailed = verdict { watch.failedNodes.note(record.node, of: attempt.job) }
    }
    attempt.takeFiles()
    return await end(
      of: attempt, cause: cause, used: ProcessorTime(user: record.userTime, system: record.systemTime),
      keepsResult: record.succeeded, cut: record.cut)
  }

  /// Asks Slurm why an attempt ended that did not end by itself.
  private nonisolated(nonsending) func verdict(
    of attempt: SlurmAttempt, _ record: EndRecord, asking watch: SlurmWatch
  ) async -> SlurmVerdict {
    let limit = ContinuousClock.now + Self.patience
    while .now < limit {
      if let listing = await watch.listing() {
        let entry = listing.entry(batch: attempt.batch.text, job: attempt.number, index: attempt.index)
        guard let entry else { return .recorded }
        if let end = entry.state.end {
          return SlurmVerdict(withRecord: end, job: entry.job, succeeded: record.succeeded)
        }
        // It is queued again, and its next start ends by the claim.
        if [.waiting, .configuring, .held].contains(entry.state) { return .recorded }
      }
      do { try await delayer.delay(for: .seconds(1)) } catch { break }
    }
    return .recorded
  }

  private static func cause(of record: EndRecord) -> JobEnd.Cause {
    switch record.cause {
    case .exited(let code): .exited(code)
    case .signal(let signal): .signal(signal)
    case .timedOut: .timedOut
    case .refused(let code, let message, let exitCode):
      .refused(OperationFailure(code: code, message: message, exitCode: exitCode))
    }
  }

  private func cause(of verdict: SlurmVerdict) -> JobEnd.Cause {
    switch verdict {
    case .recorded: .unknown
    case .outOfMemory(let words): .outOfMemory(words)
    case .timeLimit(let words): .timeLimit(words, isFinal: false)
    case .deadline(let words): .timeLimit(words, isFinal: true)
    case .cancelledOutside(let words): .cancelledOutside(words)
    case .preempted(let words): .preempted(words)
    case .nodeFailed(let words): .nodeFailed(words)
    case .signal(let signal): .signal(signal)
    case .lost(let words): .lost(words)
    case .notBegun(let words): .notBegun(words)
    }
  }

  /// Copies what the attempt has left behind to the files of the run.
  private nonisolated(nonsending) func end(
    of attempt: SlurmAttempt, cause: JobEnd.Cause, used: ProcessorTime?, keepsResult: Bool, cut: Int32? = nil
  ) async -> JobEnd {
    var end = JobEnd(cause: cause, used: used)
    guard let files = attempt.files else { return end }
    end.files = files
    let (folder, copied) = (attempt.folder, attempt.copied)
    let (output, error, result) = (files.output.string, files.error.string, files.result.string)
    let problem = await BlockingWork.run { () -> SystemError? in
      do throws(SystemError) {
        _ = try SharedFile.append(from: folder.output, after: copied.output, to: output)
        _ = try SharedFile.append(from: folder.error, after: copied.error, to: error)
        guard keepsResult, access(folder.result, F_OK) == 0 else { return nil }
        try SharedFile.write([], to: result)
        _ = try SharedFile.append(from: folder.result, after: 0, to: result)
        return nil
      } catch {
        return error
      }
    }
    end.cut = (problem?.number ?? cut).map { EngineError.file(output, $0) }
    return end
  }
}

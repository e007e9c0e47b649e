import PipelineLanguage
import RunHistory
import SlurmJobs

/// An attempt that may be in Slurm, as its executor knows it. *On the event loop.*
final class SlurmAttempt {
  let job: JobID
  let folder: AttemptFolder
  /// The batch that it was submitted with, and its place there.
  let batch: AttemptToken
  let index: Int
  /// The number of its array; nil if unknown.
  var number: Int64?
  /// Whether a worker has claimed it.
  var hasBegun = false
  /// Whether its end is being determined.
  var isEnding = false
  /// Whether this host has asked it to stop.
  var isStopped = false
  /// When Slurm was first found not to know it.
  var missingSince: ContinuousClock.Instant?
  /// What was reported about its wait.
  var wait = Wait()
  /// The log files that its output is copied to, and how much has been.
  var files: LogFiles?
  var copied: (output: Int64, error: Int64) = (0, 0)
  private(set) var end: JobEnd?
  private var waiter: (job: Job?, continuation: CheckedContinuation<LoopBound<JobEnd>, Never>)?

  /// What is known of the wait for its start.
  struct Wait {
    /// What its operation was told last, and when; nil if it does not wait.
    fileprivate(set) var told: OperationReason.ExecutorWait?
    fileprivate(set) var toldAt: ContinuousClock.Instant?
    /// When Slurm first reported that it never starts; nil if it may.
    var hopelessSince: ContinuousClock.Instant?
  }

  init(job: JobID, folder: AttemptFolder, batch: AttemptToken, index: Int, number: Int64?) {
    self.job = job
    self.folder = folder
    self.batch = batch
    self.index = index
    self.number = number
  }

  var token: AttemptToken { folder.token }

  /// Whether its end is awaited. Until then it is not determined, as nobody could take its output and its result.
  var isAwaited: Bool { waiter != nil }

  /// The number of its job, as Slurm's clients take it; nil if unknown.
  var slurmID: String? { number.map { "\($0)_\(index)" } }

  /// Its handle: the number is for people, the token identifies it.
  var handle: JobHandle { JobHandle(job: job, name: .text("\(slurmID ?? "?") \(token.text)")) }

  /// Returns the token and the number in a handle.
  static func identity(in handle: JobHandle) -> (token: AttemptToken, number: Int64?)? {
    guard case .text(let text) = handle.name else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 2, let token = AttemptToken(words[1]) else { return nil }
    return (token, SlurmJobID(words[0])?.job)
  }

  /// The job that waits for its end.
  var awaited: Job? { waiter?.job }

  /// Tells its operation what it waits for; nil if it does not wait any more.
  func tell(_ next: OperationReason.ExecutorWait?) {
    guard next != wait.told, let job = awaited else { return }
    (wait.told, wait.toldAt) = (next, .now)
    job.whenWaiting(next)
  }

  // MARK: Its end

  /// Returns when it has ended.
  nonisolated(nonsending) func awaitEnd(_ job: Job?) async -> JobEnd {
    if let end { return end }
    return await withCheckedContinuation { waiter = (job, $0) }.value
  }

  /// Takes log files if something waits for its end that can use them.
  func takeFiles() {
    guard files == nil, let job = waiter?.job, let taken = try? job.files.take() else { return }
    files = taken
    job.whenLogged(taken)
  }

  func finish(_ end: JobEnd) {
    guard self.end == nil else { return }
    self.end = end
    waiter?.continuation.resume(returning: LoopBound(end))
    waiter = nil
  }
}

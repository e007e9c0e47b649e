import Glibc
import OperatingSystem
import PipelineLanguage
import SlurmJobs
import Values

/// Submits attempts: what is ready within a window and wants the same from Slurm goes out as one array. *On the event loop.*
final class SlurmSubmitter: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// What attempts of one array have in common.
  private struct Batch: Hashable {
    /// The directory of the run.
    var run: String
    /// The options of `sbatch` that they need.
    var options: [String]
    /// The nodes that they must not run on, if that is possible.
    var avoided: [String] = []
  }

  private final class Entry {
    let job: Job
    let batch: Batch
    let continuation: CheckedContinuation<JobStart, Never>
    init(_ job: Job, _ batch: Batch, _ continuation: CheckedContinuation<JobStart, Never>) {
      (self.job, self.batch, self.continuation) = (job, batch, continuation)
    }

    func callOff() { continuation.resume(returning: .notBegun(reason: "it was cancelled before it was submitted")) }
  }

  /// The pause after Slurm had no room for a single attempt.
  private static let pauseWhenFull = Duration.seconds(10)

  private let cluster: SiteDefinition.Cluster
  private let clients: SlurmClients
  private let loop: EventLoop
  private let directory: String
  private let watch: SlurmWatch
  private let waits: SlurmWaits
  private var waiting: [Entry] = []
  /// How many were taken from `waiting` and have no answer yet.
  private var underway = 0
  private var isScheduled = false
  /// Those of them that were cancelled meanwhile.
  private var calledOff: Set<JobID> = []
  /// The largest number of attempts in the next array: halved when Slurm had no room for one, doubled when it had.
  private var largest: Int

  init(
    _ cluster: SiteDefinition.Cluster, clients: SlurmClients, loop: EventLoop, directory: String, watch: SlurmWatch,
    waits: SlurmWaits
  ) {
    self.cluster = cluster
    self.clients = clients
    self.loop = loop
    self.directory = directory
    self.watch = watch
    self.waits = waits
    largest = cluster.queue.array
  }

  /// Submits a job, and returns when Slurm has answered about it.
  nonisolated(nonsending) func submit(_ job: Job) async -> JobStart {
    let id = job.id
    return await withTaskCancellationHandler {
      await withCheckedContinuation { add(job, $0) }
    } onCancel: {
      loop.execute { self.callOff(id) }
    }
  }

  /// Answers a cancelled job that has not been submitted. If its submission is underway, it is not repeated.
  private func callOff(_ job: JobID) {
    guard let index = waiting.firstIndex(where: { $0.job.id == job }) else {
      if underway > 0 { calledOff.insert(job) }
      return
    }
    waiting.remove(at: index).callOff()
  }

  private func add(_ job: Job, _ continuation: CheckedContinuation<JobStart, Never>) {
    let demand = (job.use ?? ExecutorUse()).demand(attempt: job.id.attempt, site: cluster.defaults)
    if let excess = cluster.excess(of: demand) {
      return continuation.resume(returning: .refused(OperationFailure.submitRefused(excess)))
    }
    let batch = Batch(
      run: "\(cluster.shared)/\(job.id.run.text)", options: options(for: job),
      avoided: watch.failedNodes.avoided(by: job.id))
    waiting.append(Entry(job, batch, continuation))
    schedule(after: cluster.queue.window)
  }

  private func schedule(after delay: Duration) {
    guard !isScheduled, !waiting.isEmpty else { return }
    isScheduled = true
    _ = loop.schedule(after: delay) { [self] in
      isScheduled = false
      Task(executorPreference: loop) { await self.send() }
    }
  }

  /// Sends everything that there is room for.
  private nonisolated(nonsending) func send() async {
    var room = cluster.queue.most - watch.count - underway
    while room > 0, let first = waiting.first {
      let size = min(room, largest)
      var batch: [Entry] = []
      waiting.removeAll { entry in
        guard batch.count < size, entry.batch == first.batch else { return false }
        batch.append(entry)
        return true
      }
      room -= batch.count
      underway += batch.count
      let isFull = await send(batch)
      underway -= batch.count
      if isFull {
        for entry in batch where calledOff.contains(entry.job.id) { entry.callOff() }
        waiting = batch.filter { !calledOff.contains($0.job.id) } + waiting
      }
      calledOff = underway > 0 ? calledOff.subtracting(batch.map(\.job.id)) : []
      if isFull {
        room += batch.count
        largest = max(1, batch.count / 2)
        if batch.count > 1 { continue }
        return schedule(after: Self.pauseWhenFull)
      }
      largest = min(largest * 2, cluster.queue.array)
    }
    waits.noteHeldBack(waiting.map(\.job))
    // The next one may have room when another one has ended.
    schedule(after: .seconds(1))
  }

  /// Submits one array. Returns whether Slurm has no room for it.
  private nonisolated(nonsending) func send(_ entries: [Entry]) async -> Bool {
    let batch = entries[0].batch
    let first = entries[0].job.id
    let folder = BatchFolder(run: batch.run, token: Self.token(of: first))
    let parts = entries.map { AttemptParts($0.job, in: batch.run, token: Self.token(of: $0.job.id), from: directory) }
    let program = cluster.program
    let failure = await BlockingWork.run { AttemptParts.create(parts, in: folder, program: program) }
    if let failure {
      for entry in entries { entry.continuation.resume(returning: .refused(failure)) }
      return false
    }
    let arguments =
      [
        "--parsable", "--export=ALL", "--no-requeue", "--job-name=\(folder.token.text)",
        "--output=\(folder.logPattern)",
        "--array=0-\(entries.count - 1)",
      ] + batch.options
    let avoiding = batch.avoided.isEmpty ? [] : ["--exclude=\(batch.avoided.joined(separator: ","))"]
    var reply = SubmitReply(
      await clients.call("sbatch", arguments + avoiding, input: BatchFolder.script, directory: folder.path))
    if case .refused = reply, !avoiding.isEmpty {
      // No other node may be able to run it.
      reply = SubmitReply(await clients.call("sbatch", arguments, input: BatchFolder.script, directory: folder.path))
    }
    switch reply {
    case .full(let reason):
      guard await BlockingWork.run({ AttemptParts.withdraw(parts, of: folder) }) else {
        for entry in entries { entry.continuation.resume(returning: .open(JobHandle(job: entry.job.id, name: .open))) }
        return false
      }
      for entry in entries {
        waits.noteHeldBack(entry.job, because: "Slurm accepts no more jobs at the moment: \(reason)")
      }
      return true
    case .accepted(let number):
      for (index, entry) in entries.enumerated() {
        let attempt = SlurmAttempt(
          job: entry.job.id, folder: parts[index].folder, batch: folder.token, index: index, number: number)
        watch.add(attempt)
        entry.continuation.resume(returning: .begun(attempt.handle))
      }
    case .refused(let reason):
      for entry in entries { entry.continuation.resume(returning: .refused(OperationFailure.submitRefused(reason))) }
    case .open:
      for entry in entries { entry.continuation.resume(returning: .open(JobHandle(job: entry.job.id, name: .open))) }
    }
    return false
  }

  private static func token(of job: JobID) -> AttemptToken {
    AttemptToken(run: job.run.text, ordinal: job.ordinal, attempt: job.attempt)
  }

  /// Returns what a job needs as options of `sbatch`.
  private func options(for job: Job) -> [String] {
    var demand = (job.use ?? ExecutorUse()).demand(attempt: job.id.attempt, site: cluster.defaults)
    if demand[.time] == nil, let timeout = job.timeout {
      let seconds = (timeout + job.grace + .seconds(120)).components.seconds
      demand[.time] = String(seconds / 60 + 1)
    }
    return cluster.submitOptions(demand)
  }
}

/// The files of an attempt before it is submitted.
private struct AttemptParts: Sendable {
  private enum Input: Sendable {
    case none
    case value(JSONValue)
    case file(ResultFile)
  }

  let folder: AttemptFolder
  private let order: JobOrder
  private let input: Input
  /// What is not in the order because there is a secret in it.
  private let secret: SecretOrder?

  init(_ job: Job, in run: String, token: AttemptToken, from directory: String) {
    folder = AttemptFolder(run: run, token: token)
    switch job.input {
    case .none: input = .none
    case .value(let value): input = .value(value)
    case .file(let file): input = .file(file)
    }
    var hasInput = true
    if case .none = input { hasInput = false }
    secret = job.masker.map {
      SecretOrder(secrets: $0.texts, arguments: job.arguments, environment: job.variables)
    }
    if secret != nil, case .value = input { hasInput = false }
    order = JobOrder(
      token: token, arguments: secret == nil ? job.arguments : [], environment: secret == nil ? job.variables : [:],
      directory: job.directory ?? directory,
      hasInput: hasInput, grace: job.grace.wholeMicroseconds / 1000,
      timeout: job.timeout.map { $0.wholeMicroseconds / 1000 }, hasSecrets: secret != nil)
  }

  /// Writes the directories of a batch. Returns why that failed; nil if it did not.
  static func create(_ parts: [AttemptParts], in batch: BatchFolder, program: String) -> (any Error)? {
    do {
      for directory in [batch.run, AttemptFolder.ends(of: batch.run)] where mkdir(directory, 0o700) != 0 {
        guard errno == EEXIST else { throw SystemError("mkdir", errno) }
      }
      for part in parts { try part.create() }
      try batch.create(for: parts.map(\.folder), program: program)
      return nil
    } catch let error as SystemError {
      return OperationFailure.submitRefused("cannot write to '\(batch.run)': \(error)")
    } catch {
      return error
    }
  }

  /// Removes the directories of a batch that Slurm had no room for. Returns false if one of its attempts has begun nevertheless.
  ///
  /// The client was ended while it tried again and again, so a job may exist. It finds the attempts claimed, or no directory.
  static func withdraw(_ parts: [AttemptParts], of batch: BatchFolder) -> Bool {
    guard parts.allSatisfy({ $0.folder.giveUp() }), let run = try? Folder(batch.run) else {
      return false
    }
    for token in parts.map(\.folder.token) + [batch.token] { run.remove(token.text) }
    return true
  }

  private func create() throws {
    guard mkdir(folder.path, 0o700) == 0 else { throw SystemError("mkdir", errno) }
    try SharedFile.write(order.bytes, to: folder.order)
    var secret = secret
    switch input {
    case .none: break
    case .value(let value):
      var bytes: [UInt8] = []
      if case .string(let text) = value { bytes = Array(text.utf8) } else if value != .null { value.write(to: &bytes) }
      secret?.input = String(decoding: bytes, as: UTF8.self)
      if secret == nil { try SharedFile.write(bytes, to: folder.input) }
    case .file(let file):
      // Opening it checks that it still is what was recorded.
      _ = try file.open()
      try SharedFile.write([], to: folder.input)
      _ = try SharedFile.append(from: file.path, after: 0, to: folder.input)
    }
    if let secret { try SharedFile.write(secret.bytes, to: folder.secrets) }
  }
}

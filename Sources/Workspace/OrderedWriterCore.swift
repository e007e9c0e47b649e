import Glibc
import OperatingSystem
import SQLite

/// Work that runs at its place between the changes.
struct OrderedWriterJob: Sendable {
  /// What it has done in a transaction that is not committed yet.
  struct Done: Sendable {
    /// Of which types it has changed objects; nil where nobody knows.
    let types: [any Storable.Type]?
    /// Tells whoever waits for it, once that is committed.
    let tell: @Sendable () -> Void
  }

  let run: @Sendable (Database) throws -> Done
  let fail: @Sendable (any Error) -> Void
}

/// The state of an ``OrderedWriter`` and its thread.
///
/// Invariant: every mutable property is read and written with `signal` locked. A change is in exactly one place: in `buffer`,
/// in the thread's hands while it commits, or committed. `buffer` begins with what a failure has put back. While `isHolding`, `heldBytes` is the size of all that
/// was appended and is not committed.
@usableFromInline
final class OrderedWriterCore<Change: Sendable>: @unchecked Sendable {
  typealias Answer = CheckedContinuation<Result<Void, WorkspaceError>, Never>

  /// How much work is committed together at most: whoever waits for the first of it waits for the last as well.
  private static var mostTogether: Int { 64 }

  @usableFromInline let signal = ThreadSignal()
  private let workspace: OpenWorkspace
  private let delay: Int64
  private let maximumBatch: Int
  /// So many changes are worth a transaction without waiting for more: who waits on would only have more to write in the end, when somebody waits.
  @usableFromInline let sufficientBatch: Int
  private let prepare: @Sendable (Database) throws -> Void
  private let apply: @Sendable (Database, ArraySlice<Change>) throws -> Void
  private let changing: (@Sendable (ArraySlice<Change>) -> [any Storable.Type])?
  private let onFailure: @Sendable (WorkspaceError) -> Void
  private var hold: OrderedWriter<Change>.Hold?

  @usableFromInline var buffer: [Change] = []
  /// Each with the number of the change that it follows, counted from the first one ever appended.
  private var jobs: [(after: Int, job: OrderedWriterJob)] = []
  private var flushes: [(upTo: Int, toDisk: Bool, answer: Answer)] = []
  private var retries: [Answer] = []
  private var closers: [Answer] = []
  /// The number of changes ever appended, of which the first `committed` are committed.
  @usableFromInline var appended = 0
  private var committed = 0
  private var transactions = 0
  private var failure: WorkspaceError?
  private var isRetrying = false
  /// Whether nothing can be committed, and changes are held.
  @usableFromInline var isHolding = false
  private var heldBytes = 0
  @usableFromInline var isStarted = false
  @usableFromInline var isSleeping = false
  private var isUrgent = false
  @usableFromInline var isStopping = false
  private var outcome: Result<Void, WorkspaceError>?

  init(
    workspace: OpenWorkspace, delay: Int64, maximumBatch: Int,
    prepare: @escaping @Sendable (Database) throws -> Void,
    apply: @escaping @Sendable (Database, ArraySlice<Change>) throws -> Void,
    changing: (@Sendable (ArraySlice<Change>) -> [any Storable.Type])?, hold: OrderedWriter<Change>.Hold?,
    onFailure: @escaping @Sendable (WorkspaceError) -> Void
  ) {
    self.hold = hold
    self.workspace = workspace
    self.delay = delay
    self.maximumBatch = maximumBatch
    sufficientBatch = min(maximumBatch, 1024)
    self.prepare = prepare
    self.apply = apply
    self.changing = changing
    self.onFailure = onFailure
  }

  // MARK: What callers do

  func begin() {
    signal.lock()
    defer { signal.unlock() }
    if !isStarted, !isStopping { rouse() }
  }

  @inlinable
  func append(_ change: consuming Change) -> Bool {
    signal.lock()
    defer { signal.unlock() }
    if isStopping || isHolding && !fits(change) { return false }
    buffer.append(change)
    appended += 1
    if isSleeping || !isStarted || buffer.count == sufficientBatch { rouse() }
    return true
  }

  /// Whether a change may be held, which it is then. The lock is held.
  @usableFromInline
  func fits(_ change: borrowing Change) -> Bool {
    guard let hold else { return true }
    let change = copy change
    let size = hold.size(change)
    guard size <= hold.limit - heldBytes else {
      hold.onRefusal(change)
      return false
    }
    heldBytes += size
    return true
  }

  func flush(_ answer: Answer, toDisk: Bool) {
    signal.lock()
    defer { signal.unlock() }
    if let failure, !isRetrying, !isHolding { return answer.resume(returning: .failure(failure)) }
    if let outcome { return answer.resume(returning: toDisk ? .failure(.closed(path: workspace.path)) : outcome) }
    // What is committed may not be on the disk yet.
    if committed == appended && !toDisk { return answer.resume(returning: .success(())) }
    flushes.append((appended, toDisk, answer))
    isUrgent = true
    rouse()
  }

  func perform(_ job: OrderedWriterJob) {
    signal.lock()
    defer { signal.unlock() }
    if isStopping { return job.fail(WorkspaceError.closed(path: workspace.path)) }
    if let failure, !isRetrying, !isHolding { return job.fail(failure) }
    jobs.append((appended, job))
    isUrgent = true
    rouse()
  }

  func retry(_ answer: Answer) {
    signal.lock()
    defer { signal.unlock() }
    if let outcome { return answer.resume(returning: outcome) }
    guard failure != nil else {
      flushes.append((appended, false, answer))
      isUrgent = true
      return rouse()
    }
    retries.append(answer)
    isRetrying = true
    isUrgent = true
    rouse()
  }

  func endHolding() {
    signal.lock()
    hold = nil
    guard isHolding, let failure else { return signal.unlock() }
    isHolding = false
    heldBytes = 0
    let refused = takeWaiting()
    signal.unlock()
    refused(failure)
  }

  /// Takes all that wait for a commit, and returns what tells them that it failed. The lock is held here, and not there.
  private func takeWaiting() -> (WorkspaceError) -> Void {
    let (flushes, jobs) = (flushes, jobs)
    self.flushes = []
    self.jobs = []
    return { error in
      for flush in flushes { flush.answer.resume(returning: .failure(error)) }
      for entry in jobs { entry.job.fail(error) }
    }
  }

  func close(_ answer: Answer) {
    signal.lock()
    defer { signal.unlock() }
    if let outcome { return answer.resume(returning: outcome) }
    closers.append(answer)
    isStopping = true
    rouse()
  }

  func stop() {
    signal.lock()
    defer { signal.unlock() }
    isStopping = true
    if isStarted { rouse() }
  }

  var progress: (waiting: Int, transactions: Int) {
    signal.lock()
    defer { signal.unlock() }
    return (appended - committed, transactions)
  }

  var held: (bytes: Int, changes: Int) {
    signal.lock()
    defer { signal.unlock() }
    return isHolding ? (heldBytes, appended - committed) : (0, 0)
  }

  /// How many wait for a commit.
  var waits: Int {
    signal.lock()
    defer { signal.unlock() }
    return flushes.count + jobs.count
  }

  var currentFailure: WorkspaceError? {
    signal.lock()
    defer { signal.unlock() }
    return failure
  }

  @usableFromInline
  func rouse() {
    if isStarted { return signal.wake() }
    isStarted = true
    do throws(SystemError) {
      try SystemThread.detach("penstock-writer") { self.run() }
    } catch {
      refuse(error.number)
    }
  }

  /// No thread can be had: whoever waits is told so, and the next one to come tries again. The lock is held.
  private func refuse(_ code: Int32) {
    isStarted = false
    let error = WorkspaceError.io(
      path: workspace.path, code: Int(code), message: "no thread to write with: \(SystemError.textWithAdvice(of: code))"
    )
    for flush in flushes { flush.answer.resume(returning: .failure(error)) }
    for entry in jobs { entry.job.fail(error) }
    for answer in retries + closers { answer.resume(returning: .failure(error)) }
    flushes = []
    jobs = []
    retries = []
    closers = []
  }

  // MARK: What the thread does

  private func run() {
    var batch: [Change] = []
    // What is recorded goes on beside the work that it records, and must not keep a new process waiting on a busy machine.
    ThreadPriority.followProcess(loweredBy: 5)
    // What writes beyond a limit on file sizes gets an error, like that of a full disk, and the program lives on, whatever it does with signals.
    SignalMask.block(SIGXFSZ)
    workspace.prepareForWriting(prepare)
    signal.lock()
    while true {
      while !hasWork && !isStopping { sleep() }
      if !hasWork && failure == nil { break }
      if isStopping && failure != nil { isRetrying = true }
      // Whoever closes it while this commit goes on, and perhaps because it fails, has yet to be given a last try.
      let isLast = isStopping
      gather()
      isUrgent = false
      batch.removeAll(keepingCapacity: true)
      swap(&batch, &buffer)
      let work = jobs
      jobs = []
      let first = committed
      let (toDisk, isHeld) = (isDiskAwaited, hold != nil)
      signal.unlock()

      let result = commit(batch[...], work, first: first, toDisk: toDisk, isHeld: isHeld)

      signal.lock()
      if !settle(result, batch) && isLast { break }
    }
    finish()
    signal.unlock()
  }

  private var hasWork: Bool {
    (!buffer.isEmpty || !jobs.isEmpty || isDiskAwaited) && (failure == nil || isRetrying)
  }

  private var isDiskAwaited: Bool { flushes.contains(where: \.toDisk) }

  private func sleep() {
    isSleeping = true
    signal.wait()
    isSleeping = false
  }

  /// Waits for company, unless somebody waits for the commit.
  private func gather() {
    guard delay > 0 else { return }
    let deadline = ThreadSignal.instant(in: delay)
    if !isUrgent && !isStopping && buffer.count < sufficientBatch {
      signal.unlock()
      workspace.shortenLogAtLeisure()
      signal.lock()
    }
    while !isUrgent && !isStopping && buffer.count < sufficientBatch {
      if !signal.wait(until: deadline) { return }
    }
  }

  private struct Commit {
    var changes = 0
    var transactions = 0
    var failure: WorkspaceError?
    /// What became of the flush to the disk that followed; nil if there was none.
    var disk: Result<Void, WorkspaceError>?
    /// The jobs that a failure has kept from running.
    var unrun: ArraySlice<(after: Int, job: OrderedWriterJob)> = []
  }

  private func commit(
    _ batch: ArraySlice<Change>, _ work: [(after: Int, job: OrderedWriterJob)], first: Int, toDisk: Bool, isHeld: Bool
  ) -> Commit {
    var done = Commit()
    var rest = batch
    func advance(to end: Int) throws {
      while done.changes < end {
        let part = rest.prefix(min(maximumBatch, end - done.changes))
        try workspace.write(changing: changing?(part)) { try apply($0, part) }
        rest = rest.dropFirst(part.count)
        done.changes += part.count
        done.transactions += 1
      }
    }
    var next = 0
    do {
      while next < work.count {
        let together = work[next...].prefix(Self.mostTogether)
        let changes = rest.prefix((together.last?.after ?? 0) - first - done.changes)
        if together.count + changes.count > 1, changes.count <= maximumBatch,
          commitTogether(together, changes, from: first + done.changes)
        {
          rest = rest.dropFirst(changes.count)
          done.changes += changes.count
          next = together.endIndex
          done.transactions += 1
          continue
        }
        for entry in together {
          try advance(to: entry.after - first)
          try commitAlone(entry.job, isHeld: isHeld)
          next += 1
          done.transactions += 1
        }
      }
      try advance(to: batch.count)
    } catch {
      done.failure = WorkspaceError(error, path: workspace.path)
      done.unrun = work[next...]
    }
    if toDisk && done.failure == nil {
      done.disk = Result { try workspace.flushToDisk() }.mapError { WorkspaceError($0, path: workspace.path) }
    }
    return done
  }

  /// Commits work and the changes before it in one transaction, as each by itself costs more than most of what it does. False where one of them fails, and nothing of
  /// it has happened: then each has a transaction of its own, so that a failure undoes nothing else.
  private func commitTogether(
    _ jobs: ArraySlice<(after: Int, job: OrderedWriterJob)>, _ changes: ArraySlice<Change>, from start: Int
  ) -> Bool {
    var done: [OrderedWriterJob.Done] = []
    var types: [any Storable.Type]? = changes.isEmpty ? [] : changing?(changes)
    do {
      try workspace.write(changing: types) { db in
        var rest = changes
        var position = start
        for (after, job) in jobs {
          let part = rest.prefix(after - position)
          if !part.isEmpty { try apply(db, part) }
          rest = rest.dropFirst(part.count)
          position = after
          done.append(try job.run(db))
        }
        for result in done {
          if let more = result.types { types?.append(contentsOf: more) } else { types = nil }
        }
      }
    } catch {
      return false
    }
    for result in done { result.tell() }
    return true
  }

  /// Commits work in a transaction of its own.
  ///
  /// - Throws: The failure for which it has to run again, which is only where changes are held; else whoever waits for it is told.
  private func commitAlone(_ job: OrderedWriterJob, isHeld: Bool) throws(WorkspaceError) {
    do {
      var done: OrderedWriterJob.Done?
      try workspace.write(changing: done.flatMap(\.types)) { done = try job.run($0) }
      done?.tell()
    } catch {
      if isHeld, let failure = WorkspaceError.ofWriting(error, path: workspace.path) { throw failure }
      job.fail(error)
    }
  }

  /// Takes note of a commit and tells everybody who waits for it. Returns whether it succeeded. The lock is held.
  private func settle(_ result: Commit, _ batch: [Change]) -> Bool {
    committed += result.changes
    transactions += result.transactions
    guard let error = result.failure else {
      failure = nil
      isRetrying = false
      isHolding = false
      heldBytes = 0
      answerFlushes(result.disk)
      answerRetries(.success(()))
      return true
    }
    let isFirst = failure == nil
    failure = error
    isRetrying = false
    buffer.insert(contentsOf: batch[result.changes...], at: 0)
    jobs = result.unrun + jobs
    answerFlushes(nil)
    if let hold {
      if isHolding {
        for change in batch[..<result.changes] { heldBytes -= hold.size(change) }
      } else {
        isHolding = true
        heldBytes = buffer.reduce(0) { $0 + hold.size($1) }
      }
    }
    let refused: (WorkspaceError) -> Void = hold == nil ? takeWaiting() : { _ in }
    answerRetries(.failure(error))
    signal.unlock()
    refused(error)
    if isFirst { onFailure(error) }
    signal.lock()
    return false
  }

  private func answerRetries(_ result: Result<Void, WorkspaceError>) {
    for answer in retries { answer.resume(returning: result) }
    retries = []
  }

  /// `disk` is what became of a flush to the disk after the commit, if there was one.
  private func answerFlushes(_ disk: Result<Void, WorkspaceError>?) {
    flushes.removeAll { flush in
      guard flush.upTo <= committed, let answer = flush.toDisk ? disk : .success(()) else { return false }
      flush.answer.resume(returning: answer)
      return true
    }
  }

  /// The lock is held; nothing is appended any more.
  private func finish() {
    let result: Result<Void, WorkspaceError> = failure.map { .failure($0) } ?? .success(())
    outcome = result
    for flush in flushes { flush.answer.resume(returning: result) }
    for entry in jobs { entry.job.fail(failure ?? WorkspaceError.closed(path: workspace.path)) }
    for answer in retries + closers { answer.resume(returning: result) }
    flushes = []
    jobs = []
    retries = []
    closers = []
  }
}

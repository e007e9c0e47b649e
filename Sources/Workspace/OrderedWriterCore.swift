import Glibc
import OperatingSystem
import SQLite

/// The state of an ``OrderedWriter`` and its thread.
///
/// Invariant: every mutable property is read and written with `signal` locked. A change is in exactly one place: in `buffer`, in the thread's hands during
/// a commit, or committed. `buffer` begins with what a failure has put back. While `isHolding`, `heldBytes` is the size of everything appended and not
/// committed.
@usableFromInline
final class OrderedWriterCore<Change: Sendable>: @unchecked Sendable {
  typealias Answer = CheckedContinuation<Result<Void, WorkspaceError>, Never>

  @usableFromInline let signal = ThreadSignal()
  let workspace: OpenWorkspace
  private let delay: Int64
  let maximumBatch: Int
  /// This many changes are committed without waiting for more: waiting longer would leave more to write at the end, when a caller waits.
  @usableFromInline let sufficientBatch: Int
  private let prepare: @Sendable (Database) throws -> Void
  let apply: @Sendable (Database, ArraySlice<Change>) throws -> Void
  let changing: (@Sendable (ArraySlice<Change>) -> ChangedTypes)?
  private let onFailure: @Sendable (WorkspaceError) -> Void
  private var hold: OrderedWriter<Change>.Hold?

  @usableFromInline var buffer: [Change] = []
  /// The jobs, each with the number of the change that it follows, counted from the first one ever appended.
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
    changing: (@Sendable (ArraySlice<Change>) -> ChangedTypes)?, hold: OrderedWriter<Change>.Hold?,
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

  // MARK: Callers

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

  /// Returns whether a change fits within the limit, and if so counts it as held. The lock must be held.
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
    // Committed changes may not be on disk yet.
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
      if committed == appended { return answer.resume(returning: .success(())) }
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

  /// Takes everything that waits for a commit, and returns a closure that reports the failure. The lock must be held now, and not during the closure.
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

  /// The number of callers waiting for a commit.
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

  /// Reports to all waiting callers that no thread can be created; the next caller retries. The lock must be held.
  private func refuse(_ code: Int32) {
    isStarted = false
    let error = WorkspaceError.io(
      path: workspace.path, code: Int(code),
      message: "cannot create the thread that writes: \(SystemError.textWithAdvice(of: code))"
    )
    for flush in flushes { flush.answer.resume(returning: .failure(error)) }
    for entry in jobs { entry.job.fail(error) }
    for answer in retries + closers { answer.resume(returning: .failure(error)) }
    flushes = []
    jobs = []
    retries = []
    closers = []
  }

  // MARK: The thread

  private func run() {
    var batch: [Change] = []
    // Recording runs beside the recorded work, and must not delay a new process on a busy computer.
    ThreadPriority.followProcess(loweredBy: 5)
    // A write beyond a file size limit then returns an error, like that of a full disk, and the program survives, whatever it does with signals.
    SignalMask.block(SIGXFSZ)
    workspace.prepareForWriting(prepare)
    signal.lock()
    while true {
      while !hasWork && !isStopping { sleep() }
      if !hasWork && failure == nil { break }
      if isStopping && failure != nil { isRetrying = true }
      // If the writer is closed during this commit, and perhaps because it fails, one last attempt must still follow.
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

  /// Waits for further changes, unless a caller waits for the commit.
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

  /// Records a commit and notifies everyone waiting for it. Returns whether it succeeded. The lock must be held.
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

  /// Answers the flushes. `disk` is the result of a flush to the disk after the commit, if there was one.
  private func answerFlushes(_ disk: Result<Void, WorkspaceError>?) {
    flushes.removeAll { flush in
      guard flush.upTo <= committed, let answer = flush.toDisk ? disk : .success(()) else { return false }
      flush.answer.resume(returning: answer)
      return true
    }
  }

  /// Answers everyone still waiting. The lock must be held, and nothing is appended any more.
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

import Glibc
import OperatingSystem
import Operations
import RunHistory
import Synchronization
import Values
import Workspace

/// Whether the history of a host that holds records can be written. While it cannot, nothing new begins, and writing is retried each second. *On the
/// event loop.*
final class HistoryWriting: @unchecked Sendable {
  // @unchecked: everything except `current` is accessed only on the event loop.

  private static let pause = Duration.seconds(1)
  /// How long after it was last reported a lasting failure is reported again.
  private static let reminder = Duration.seconds(60)

  /// Whether records are held when they cannot be written.
  let isHolding: Bool
  private let loop: EventLoop
  private let recorder: HistoryRecorder
  private let time: HostClock
  private let delayer: any OperationDelayer
  private let onFailure: @Sendable (WriteFailure) -> Void
  private let onRecovery: @Sendable (WriteFailure) -> Void
  private let current = Mutex<WriteFailure?>(nil)
  private var waiters: [LoopWaiter] = []
  private var openings: [RunID: () -> Void] = [:]
  private let workspace: String
  /// How many callers wait until there is room for a file.
  private var roomless = 0
  private var isOver = false
  /// Whether new work may begin.
  private(set) var mayBegin = true

  init(
    loop: EventLoop, recorder: HistoryRecorder, time: HostClock, delayer: any OperationDelayer,
    workspace: String, configuration: HostConfiguration
  ) {
    self.workspace = workspace
    self.loop = loop
    self.recorder = recorder
    self.time = time
    self.delayer = delayer
    isHolding = configuration.whenWritingFails.heldBytes != nil
    onFailure = configuration.onWriteFailure
    onRecovery = configuration.onWriteRecovery
  }

  /// What currently prevents writing. May be read from any thread.
  var failure: WriteFailure? {
    guard var failure = current.withLock({ $0 }) else { return nil }
    (failure.heldBytes, failure.heldRecords) = recorder.held
    return failure
  }

  // MARK: Starting work

  /// Waits until new work may begin. Returns false if the task was cancelled first.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    while !mayBegin {
      let waiter = LoopWaiter(loop: loop)
      waiters.append(waiter)
      guard await waiter.wait() else { return false }
    }
    return true
  }

  /// Calls `body` once, when new work may begin. A run may have only one such callback at a time.
  func whenOpen(for run: RunID, _ body: @escaping () -> Void) { openings[run] = body }

  /// Notes that a file of a run could not be written, for lack of room or because its directory is not writable. Nothing new begins until
  /// ``foundRoom()`` has been called as many times.
  func lackRoom(_ error: EngineError) {
    roomless += 1
    begin(Self.failure(error, in: workspace), concernsFiles: true)
  }

  /// Checks whether `runs` can be written, before a run is taken from the queue. If not, nothing new begins until it can.
  func noteRuns() {
    if let failure = runsFailure { begin(failure, concernsFiles: true) }
  }

  private var runsFailure: WorkspaceError? {
    RunsDirectory.errorNumber(in: workspace).map {
      Self.failure(.file(RunsDirectory.path(in: workspace), $0), in: workspace)
    }
  }

  private static func failure(_ error: EngineError, in workspace: String) -> WorkspaceError {
    guard case .file(let path, let number) = error else {
      return .io(path: RunsDirectory.path(in: workspace), code: Int(ENOTDIR), message: "\(error)")
    }
    return error.isOutOfSpace
      ? .full(path: path) : .io(path: path, code: Int(number), message: SystemError.text(of: number))
  }

  /// Notes that something besides the records cannot be written. Nothing new begins until ``foundRoom()`` has been called as many times.
  func lackRoom(_ error: WorkspaceError) {
    roomless += 1
    begin(error)
  }

  /// Notes that a caller of `lackRoom` has room, or no longer needs it.
  func foundRoom() { roomless -= 1 }

  /// Waits until it is time to retry.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  nonisolated(nonsending) func pause() async throws { try await delayer.delay(for: Self.pause) }

  /// Performs `body`, which examines files. In a host that holds its records, which runs for months, a failure is retried each second while something
  /// could not be examined for lack of descriptors or memory.
  ///
  /// - Throws: The error of `body`, or `CancellationError` if the task is cancelled.
  nonisolated(nonsending) func waitingOutLookFailures<Value>(_ body: () throws -> Value) async throws -> Value {
    while true {
      let failures = LookFailures.count
      do { return try body() } catch {
        guard isHolding, LookFailures.count != failures else { throw error }
        try await pause()
      }
    }
  }

  // MARK: Reports of the recorder

  /// Notes that something cannot be written. The recorder holds what it has.
  func begin(_ error: WorkspaceError, concernsFiles: Bool = false) {
    guard mayBegin, !isOver else { return }
    mayBegin = false
    var since = time.now()
    // The lock was waited for this long.
    if case .locked = error { since = since.advanced(by: -recorder.workspace.longestWait.wholeMicroseconds) }
    current.withLock { $0 = WriteFailure(error: error, concernsFiles: concernsFiles, since: since) }
    tell()
    Task(executorPreference: loop) { [self] in await retry() }
  }

  private nonisolated(nonsending) func retry() async {
    var toldAt = time.monotonic()
    while !isOver {
      do { try await pause() } catch { return }
      do throws(WorkspaceError) {
        try await recorder.retry()
        // It may have failed again, which is reported only once.
        if recorder.failure == nil, roomless == 0, runsFailure == nil { return recovered() }
      } catch {
        current.withLock {
          $0?.error = error
          $0?.concernsFiles = false
        }
      }
      guard time.monotonic() - toldAt >= Self.reminder else { continue }
      toldAt = time.monotonic()
      tell()
    }
  }

  private func tell() {
    if let failure { onFailure(failure) }
  }

  private func recovered() {
    let failure = current.withLock { failure in
      defer { failure = nil }
      return failure
    }
    open()
    if let failure { onRecovery(failure) }
  }

  private func open() {
    mayBegin = true
    let (waiters, openings) = (waiters, openings)
    self.waiters = []
    self.openings = [:]
    for waiter in waiters { waiter.wake() }
    for opening in openings.values { opening() }
  }

  /// Notes that the records of a run no longer fit in memory.
  func noteInterrupted(_ run: RunID) { current.withLock { $0?.interruptedRuns.append(run) } }

  /// Stops retrying, because the host ends.
  func stop() {
    isOver = true
    open()
  }
}

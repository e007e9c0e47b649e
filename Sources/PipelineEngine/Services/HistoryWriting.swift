import Glibc
import OperatingSystem
import Operations
import RunHistory
import Synchronization
import Values
import Workspace

/// Whether the history of a host that holds records can be written: while it cannot, nothing new begins, and it is tried again each second. *On the loop.*
final class HistoryWriting: @unchecked Sendable {
  // @unchecked: touched only on the loop, but for `current`.

  private static let pause = Duration.seconds(1)
  /// How long after it was told of, a failure that lasts is told of again.
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
  /// How many wait until there is room for a file.
  private var roomless = 0
  private var isOver = false
  /// Whether anything new may begin.
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

  /// What is in the way of writing at present. Any thread.
  var failure: WriteFailure? {
    guard var failure = current.withLock({ $0 }) else { return nil }
    (failure.heldBytes, failure.heldRecords) = recorder.held
    return failure
  }

  // MARK: Who begins something

  /// Returns when something new may begin. False when the task was cancelled first.
  func wait(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    while !mayBegin {
      let waiter = LoopWaiter(loop: loop)
      waiters.append(waiter)
      guard await waiter.wait() else { return false }
    }
    return true
  }

  /// Calls `body` once, when something new may begin. A run asks once at a time.
  func whenOpen(for run: RunID, _ body: @escaping () -> Void) { openings[run] = body }

  /// A file of a run could not be written, for want of room or because its directory cannot be: nothing new begins until ``foundRoom()`` has been called as often as
  /// this.
  func lackRoom(_ error: EngineError) {
    roomless += 1
    begin(Self.failure(error, in: workspace), concernsFiles: true)
  }

  /// Looks whether `runs` can be written, before a run is taken from the queue. If not, nothing new begins until it can.
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

  /// What is written beside the records cannot be: nothing new begins until ``foundRoom()`` has been called as often as this.
  func lackRoom(_ error: WorkspaceError) {
    roomless += 1
    begin(error)
  }

  /// What lacked room has it, or needs it no longer.
  func foundRoom() { roomless -= 1 }

  /// Waits until it is time to try again.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  nonisolated(nonsending) func pause() async throws { try await delayer.delay(for: Self.pause) }

  /// Does what looks at files. In a host that holds its records, which runs for months, what fails while something could not be looked at for want of descriptors or memory is tried again each second.
  ///
  /// - Throws: What `body` throws, or `CancellationError` when the task is cancelled.
  nonisolated(nonsending) func waitingOutLookFailures<Value>(_ body: () throws -> Value) async throws -> Value {
    while true {
      let failures = LookFailures.count
      do { return try body() } catch {
        guard isHolding, LookFailures.count != failures else { throw error }
        try await pause()
      }
    }
  }

  // MARK: What the recorder says

  /// Something cannot be written. What the recorder has, it holds.
  func begin(_ error: WorkspaceError, concernsFiles: Bool = false) {
    guard mayBegin, !isOver else { return }
    mayBegin = false
    var since = time.now()
    // It was waited for as long as that.
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
        // It may have failed again, which is told of only once.
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

  /// The records of a run no longer fit.
  func noteInterrupted(_ run: RunID) { current.withLock { $0?.interruptedRuns.append(run) } }

  /// The host ends: nothing is tried again.
  func stop() {
    isOver = true
    open()
  }
}

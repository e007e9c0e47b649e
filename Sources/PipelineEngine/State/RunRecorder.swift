import Expressions
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// The single path for every state change of a run and its operations: through the transition table to the history and to observers. *On the event loop.*
final class RunRecorder {
  /// The record of the run itself.
  var run: RunRecord
  /// Called if the transition table does not allow a transition that the engine is about to make: the run then fails.
  var onImpossible: (EngineError) -> Void = { _ in }

  private let state: RunProgress
  private let history: HistoryRecorder
  private let time: HostClock
  private let logs: LogFilePool
  private let jobs: RunJobs
  private let observer: RunObserver
  private let unrecorded: UnrecordedStates
  private let place: RunPlace?

  init(
    _ run: RunRecord, _ state: RunProgress, jobs: RunJobs, _ brief: RunBrief, services: HostServices
  ) {
    self.run = run
    self.state = state
    self.jobs = jobs
    logs = jobs.logs
    observer = brief.observer
    place = brief.place
    history = services.recorder
    time = services.time
    unrecorded = UnrecordedStates(loop: services.loop)
    unrecorded.onTime = { [weak self] in self?.recordLasting() }
  }

  // MARK: Operations

  /// Ends an operation, handler or item that never made an attempt, or whose attempts are over.
  func conclude(_ ordinal: Int, _ end: InstanceStatus) {
    guard mark(ordinal, end) else { return }
    append(ordinal)
    // An operation that has ended is never retried; the result is kept once, with the operation.
    state.instances[ordinal].attempt = nil
  }

  /// Sets the status in which an operation, handler or item ends, without recording it. Returns false if it cannot end so.
  @discardableResult
  func mark(_ ordinal: Int, _ end: InstanceStatus) -> Bool {
    guard move(ordinal, to: end) else { return false }
    let now = self.end(of: state.instances[ordinal].timing.startedAt, state.instances[ordinal].timing.started)
    state.modify(ordinal) { instance in
      instance.timing.endedAt = now
      instance.timing.waitingSince = nil
    }
    switch end {
    case .failed:
      if state.instances[ordinal].parent == nil, !state.instances[ordinal].node.definition.allowFailure {
        state.noteFailure()
      }
      state.noteEnd(of: ordinal)
    case .cancelled: state.noteEnd(of: ordinal)
    default: break
    }
    if let result = end.settled?.result { state.files.note(result, of: ordinal) }
    unrecorded.remove(ordinal)
    place?.lookSoon()
    return true
  }

  /// Moves an operation to another status if the transition table allows it, and otherwise rejects the transition.
  ///
  /// Failures, like results, are masked before they are passed on: `errors.x` reaches arguments and results of operations that no secret is meant
  /// for, and the message of a nested run reaches a run that does not know its secrets.
  private func move(_ ordinal: Int, to next: InstanceStatus) -> Bool {
    let (present, wanted) = (state.instances[ordinal].state, next.state)
    let masked = next.masked(by: state.given.masker)
    if state.instances[ordinal].move(to: masked) { return true }
    let transition = "'\(state.instances[ordinal].name)' from \(present.rawValue) to \(wanted.rawValue)"
    assertionFailure(transition)
    reject(transition)
    return false
  }

  private func reject(_ transition: String) {
    onImpossible(.impossibleTransition(transition))
  }

  /// Returns the end time of something that started at `start` and ends now. Measured by the monotonic clock, so that the duration is correct even if
  /// the wall clock was set in the meantime. For something that a former host started, only the wall clock is available, and the end is never before
  /// the start.
  func end(of start: RecordTime?, _ monotonic: Duration?) -> RecordTime {
    guard let start else { return time.now() }
    guard let monotonic else { return max(start, time.now()) }
    return start.advanced(by: (time.monotonic() - monotonic).wholeMicroseconds)
  }

  /// Sets another status of an operation that is still unfinished. It is recorded soon if it lasts; with `mayEndAtOnce`, only by ``recordIfLasting(_:)``.
  func enter(
    _ ordinal: Int, _ next: InstanceStatus, since: RecordTime? = nil, at instant: RecordTime? = nil,
    recordNow: Bool = false, mayEndAtOnce: Bool = false
  ) {
    guard move(ordinal, to: next) else { return }
    let now = instant ?? time.now()
    let newState = next.state
    place?.lookSoon()
    state.modify(ordinal) { instance in
      instance.timing.waitingSince = newState == .waiting || newState == .retrying ? since ?? now : nil
      if newState == .running, instance.timing.startedAt == nil {
        instance.timing.startedAt = now
        instance.timing.started = time.monotonic()
      }
    }
    if recordNow {
      unrecorded.remove(ordinal)
      append(ordinal)
      return
    }
    observer.emitOnTheWay(.operation(operationRecord(ordinal)))
    if !mayEndAtOnce { recordIfLasting(ordinal) }
  }

  /// Records the state of an operation if it lasts.
  func recordIfLasting(_ ordinal: Int) {
    unrecorded.insert(ordinal)
  }

  /// Records the states that are not in the history yet.
  func recordLasting() {
    unrecorded.forEach { ordinal in
      state.instances[ordinal].areLogsNamed = state.instances[ordinal].attempt?.standardOutput != nil
      notePidStarted(ordinal)
      write(operationRecord(ordinal), with: state.instances[ordinal].attempt)
    }
  }

  /// Records an instance with its latest attempt, and notifies the observer.
  func append(_ ordinal: Int) {
    // A record is large to copy, so it is not created twice without an observer.
    guard observer.isThere else { return write(operationRecord(ordinal), with: state.instances[ordinal].attempt) }
    let operation = operationRecord(ordinal)
    write(operation, with: state.instances[ordinal].attempt)
    observer.emit(.operation(operation))
  }

  /// Records an instance with its latest attempt.
  func write(_ operation: consuming OperationRecord, with attempt: consuming AttemptRecord?) {
    if let attempt {
      history.record(.operationWithAttempt(operation, attempt))
    } else {
      history.record(.operation(operation))
    }
  }

  /// Notes the start time of the process of an attempt that lasts. Read here rather than when the process starts, because most processes have ended
  /// before this.
  private func notePidStarted(_ ordinal: Int) {
    guard state.instances[ordinal].attempt?.pid != nil, state.instances[ordinal].attempt?.pidStarted == nil,
      let started = jobs.started(ordinal)
    else { return }
    state.instances[ordinal].attempt?.pidStarted = started
  }

  /// Returns the record of an instance for the history.
  func operationRecord(_ ordinal: Int) -> OperationRecord {
    let masker = state.given.masker
    // Member by member, because an instance is large to copy.
    return OperationRecord(
      run: state.id, ordinal: ordinal, name: state.instances[ordinal].name,
      position: state.instances[ordinal].node.definition.index, parent: state.instances[ordinal].parent,
      item: recordedItem(ordinal), state: state.instances[ordinal].state,
      reason: state.instances[ordinal].reason?.code, detail: detail(of: ordinal),
      error: state.instances[ordinal].failure.map { $0.recorded(masker) },
      attempts: state.instances[ordinal].attempts, waitingSince: state.instances[ordinal].timing.waitingSince,
      startedAt: state.instances[ordinal].timing.startedAt, endedAt: state.instances[ordinal].timing.endedAt,
      result: state.instances[ordinal].recordedResult, fingerprint: state.instances[ordinal].fingerprint,
      reusedFrom: state.instances[ordinal].status.source)
  }

  /// Returns the item as the history keeps it, or nil if the instance is not an item.
  func recordedItem(_ ordinal: Int) -> String? {
    state.instances[ordinal].loopItem.map { $0.recorded ?? state.given.masker.mask($0.value.text) }
  }

  /// Returns the details of its state, what opened its gate, the label that its loop gives it, and why a retry executed it.
  private func detail(of ordinal: Int) -> String? {
    let (reason, gate) = (state.instances[ordinal].reason, state.instances[ordinal].opened)
    let label = state.instances[ordinal].loopItem?.label
    let artifacts = state.instances[ordinal].artifacts
    // An operation that was skipped again, or prevented from running, was not executed.
    let again =
      state.again.isEmpty || state.instances[ordinal].timing.startedAt == nil ? nil : state.again[ordinal]
    guard reason != nil || gate != nil || label != nil || again != nil || !artifacts.isEmpty else { return nil }
    let masker = state.given.masker
    return OperationReason.detail(
      reason, gate: gate, label: label, again: again, artifacts: artifacts,
      masking: masker.isEmpty ? nil : { masker.mask($0) })?.text
  }

  // MARK: The run

  /// Moves the run to another state. If the transition table does not allow it, fails the run and returns false.
  @discardableResult
  func enter(_ newState: RunState) -> Bool {
    guard run.state.mayBecome(newState) else {
      let transition = "the run from \(run.state.rawValue) to \(newState.rawValue)"
      assertionFailure(transition)
      reject(transition)
      return false
    }
    run.state = newState
    return true
  }

  /// Ends the run; if the transition table does not allow that, it fails as `engine-failed`. Returns how it ended.
  func end(as wanted: RunEnd) -> RunEnd {
    let end = enter(wanted.state) ? wanted : RunCancellation.engine.end
    run.state = end.state
    run.reason = end.reason?.text
    return end
  }

  /// Stops recording states except final ones.
  func stop() { unrecorded.stop() }

  // MARK: Results

  /// Returns the form in which a result is recorded: inline if it is small, otherwise in a file of the run's directory, which may have been written already.
  func recorded(_ result: OperationResult, of ordinal: Int? = nil) throws(EngineError) -> RecordedResult {
    switch result {
    case .none:
      return .none
    case .value(let value):
      if let ordinal, !state.files.written.isEmpty, let written = state.files.written.removeValue(forKey: ordinal) {
        return written
      }
      let bytes = Self.bytes(of: value)
      guard bytes.count > RecordedResult.inlineLimit else { return Self.inline(bytes) }
      while true {
        let place = try nextPlace()
        if try place.write(bytes) { return place.result(size: bytes.count) }
      }
    case .file(let file):
      let prefix = state.given.workspace + "/"
      return .file(
        path: file.path.hasPrefix(prefix) ? String(file.path.dropFirst(prefix.count)) : file.path, size: file.size)
    }
  }

  static func bytes(of value: JSONValue) -> [UInt8] {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    return bytes
  }

  static func inline(_ bytes: [UInt8]) -> RecordedResult { .inline(String(decoding: bytes, as: UTF8.self)) }

  /// Returns the location of the next large result.
  func nextPlace() throws(EngineError) -> LargeResultPlace {
    let name = "\(logs.nextNumber()).json"
    return LargeResultPlace(path: "\(try logs.runDirectory())/\(name)", name: "runs/\(state.id.text)/\(name)")
  }
}

/// A file of a run's directory for a large result.
struct LargeResultPlace: Sendable {
  let path: String
  /// The name that records use.
  let name: String

  /// Writes the file. Returns false if it already exists: a resumed run finds those of its former host.
  func write(_ bytes: [UInt8]) throws(EngineError) -> Bool {
    do {
      try FileBytes.write(bytes, toNew: path)
      return true
    } catch .file(_, EEXIST) {
      return false
    }
  }

  func result(size: Int) -> RecordedResult { .file(path: name, size: Int64(size)) }
}

import Expressions
import Glibc
import Operations
import PipelineLanguage
import RunHistory
import Values
import Workspace

/// Every change of the state of a run and its operations passes here once: by the table of transitions to the history, and to whoever watches. *On the loop.*
final class RunRecorder {
  /// Of the run itself.
  var run: RunRecord
  /// Called where the table of transitions does not know what the engine is about to do: the run is to fail.
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

  /// Ends an operation, handler or item that did not come to an attempt of its own, or whose attempts are over.
  func conclude(_ ordinal: Int, _ end: InstanceStatus) {
    guard mark(ordinal, end) else { return }
    append(ordinal)
    // What has ended is never tried again; the result is kept with the operation, once.
    state.instances[ordinal].attempt = nil
  }

  /// Gives an operation, handler or item the status in which it ends, without recording that. False where it cannot end so.
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

  /// Moves an operation to another status, where the table of transitions has that; what it does not have is rejected.
  ///
  /// Failures are masked before anybody gets them, as results are: `errors.x` reaches arguments and results of operations that no secret is meant for, and the
  /// message of a nested run reaches a run that does not know its secrets.
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

  /// When something ends that started at `start`, if it ends now. Counted by the monotonic clock, so that the duration is right although the wall clock was
  /// set meanwhile. What a former host started has the wall clock alone; it does not end before it started.
  func end(of start: RecordTime?, _ monotonic: Duration?) -> RecordTime {
    guard let start else { return time.now() }
    guard let monotonic else { return max(start, time.now()) }
    return start.advanced(by: (time.monotonic() - monotonic).wholeMicroseconds)
  }

  /// Gives an operation that goes on another status. The history learns of it soon, if it lasts; with `mayEndAtOnce` it does only by
  /// ``recordIfLasting(_:)``.
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

  /// Lets the history learn of the state that an operation is in, if it lasts.
  func recordIfLasting(_ ordinal: Int) {
    unrecorded.insert(ordinal)
  }

  /// Records the states that the history does not have yet.
  func recordLasting() {
    unrecorded.forEach { ordinal in
      state.instances[ordinal].areLogsNamed = state.instances[ordinal].attempt?.standardOutput != nil
      notePidStarted(ordinal)
      write(operationRecord(ordinal), with: state.instances[ordinal].attempt)
    }
  }

  /// Records an instance with its latest attempt, and tells of it.
  func append(_ ordinal: Int) {
    // A record is large to copy, for somebody who does not watch.
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

  /// Notes when the process of an attempt that lasts started. Read here rather than at its start, which most processes hardly outlast.
  private func notePidStarted(_ ordinal: Int) {
    guard state.instances[ordinal].attempt?.pid != nil, state.instances[ordinal].attempt?.pidStarted == nil,
      let started = jobs.started(ordinal)
    else { return }
    state.instances[ordinal].attempt?.pidStarted = started
  }

  /// The instance as the history keeps it.
  func operationRecord(_ ordinal: Int) -> OperationRecord {
    let masker = state.given.masker
    // Member by member: an instance is large to copy.
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

  /// The item as the history keeps it; nil for what is none.
  func recordedItem(_ ordinal: Int) -> String? {
    state.instances[ordinal].loopItem.map { $0.recorded ?? state.given.masker.mask($0.value.text) }
  }

  /// The particulars of its state, what opened its gate, the label that its loop gives it, and why a retry executed it.
  private func detail(of ordinal: Int) -> String? {
    let (reason, gate) = (state.instances[ordinal].reason, state.instances[ordinal].opened)
    let label = state.instances[ordinal].loopItem?.label
    let artifacts = state.instances[ordinal].artifacts
    // What was skipped again, or kept from running, was not executed.
    let again =
      state.again.isEmpty || state.instances[ordinal].timing.startedAt == nil ? nil : state.again[ordinal]
    guard reason != nil || gate != nil || label != nil || again != nil || !artifacts.isEmpty else { return nil }
    let masker = state.given.masker
    return OperationReason.detail(
      reason, gate: gate, label: label, again: again, artifacts: artifacts,
      masking: masker.isEmpty ? nil : { masker.mask($0) })?.text
  }

  // MARK: The run

  /// Moves the run to another state. False where the table of transitions does not have that: then nothing changes but that the run is to fail.
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

  /// Ends the run; where the table of transitions does not have that, it has failed as `engine-failed`. Returns how it ended.
  func end(as wanted: RunEnd) -> RunEnd {
    let end = enter(wanted.state) ? wanted : RunCancellation.engine.end
    run.state = end.state
    run.reason = end.reason?.text
    return end
  }

  /// No states are recorded any more but those that operations end in.
  func stop() { unrecorded.stop() }

  // MARK: Results

  /// The form in which a result is recorded: inline where it is small, else in a file of the run's directory, which may have been written already.
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

  /// Where the next large result goes.
  func nextPlace() throws(EngineError) -> LargeResultPlace {
    let name = "\(logs.nextNumber()).json"
    return LargeResultPlace(path: "\(try logs.runDirectory())/\(name)", name: "runs/\(state.id.text)/\(name)")
  }
}

/// A file of a run's directory for a large result.
struct LargeResultPlace: Sendable {
  let path: String
  /// As records call it.
  let name: String

  /// Writes the file. False where one is there already: a run that was resumed finds those of its former host.
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

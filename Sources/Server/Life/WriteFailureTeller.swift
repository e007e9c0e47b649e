import PipelineEngine
import RunHistory
import Synchronization

/// Tells that the history cannot be written, and that it can again: by the log, and once the host serves, beside the database to those who ask for its status. Any thread.
final class WriteFailureTeller: Sendable {
  private struct State {
    var isServing = false
    var isReady = false
    var failure: WriteFailure?
    var onChange: (@Sendable () -> Void)?
  }

  private let log: HostLog
  private let note: HostNote
  private let states: HostStates
  private let state = Mutex(State())

  /// - Parameters:
  ///   - log: Where each line goes.
  ///   - directory: That of the workspace.
  ///   - states: Told again and again that the host still starts, as long as it cannot for that.
  init(log: HostLog, workspace directory: String, states: HostStates) {
    self.log = log
    self.states = states
    note = HostNote(in: directory)
  }

  /// What keeps the history from being written now.
  var failure: WriteFailure? { state.withLock(\.failure) }

  /// From now on the host is that of the workspace; `onChange` is told of each beginning and end.
  func serve(onChange: (@Sendable () -> Void)?) {
    let failure = state.withLock { state in
      (state.isServing, state.onChange) = (true, onChange)
      return state.failure
    }
    if let failure { write(failure) } else { note.remove() }
  }

  /// The host has started.
  func becameReady() { state.withLock { $0.isReady = true } }

  /// The host serves no longer.
  func end() {
    guard
      state.withLock({ state in
        defer { state.isServing = false }
        return state.isServing
      })
    else { return }
    note.remove()
  }

  func failed(_ failure: WriteFailure) {
    log.tell(
      .error, "write-failed",
      "cannot write \(failure.concernsFiles ? "the files of runs" : "the history") since \(failure.since.text), and nothing new begins; \(failure.heldRecords) records (\(failure.heldBytes >> 10) KiB) are held: \(failure.error.advice)"
    )
    let (isServing, onChange, isFirst) = state.withLock { state in
      defer { state.failure = failure }
      return (state.isServing, state.onChange, state.failure == nil && !state.isReady)
    }
    if isServing { write(failure) }
    onChange?()
    if isFirst { Task { await keepManagerWaiting(since: failure.since) } }
  }

  /// By the time of the manager who waits, and not that of the host, which a test may inject.
  private func keepManagerWaiting(since: RecordTime) async {
    while state.withLock({ !$0.isReady && $0.failure?.since == since }) {
      states.change(to: .stillStarting)
      guard (try? await Task.sleep(for: HostStates.reminder)) != nil else { return }
    }
  }

  func recovered(_ failure: WriteFailure) {
    let lost = failure.interruptedRuns.count
    log.tell(
      .info, "write-recovered",
      "\(failure.concernsFiles ? "the files of runs" : "the history") can be written again"
        + (lost == 0 ? "" : "; \(lost) runs could not be recorded and are interrupted"))
    let (isServing, onChange) = state.withLock { state in
      state.failure = nil
      return (state.isServing, state.onChange)
    }
    if isServing { note.remove() }
    onChange?()
  }

  private func write(_ failure: WriteFailure) { note.write(since: failure.since, because: failure.error.advice) }
}

import PipelineEngine
import RunHistory
import Synchronization

/// Reports that the history cannot be written, and that it can be written again: in the log and, once the host serves, in a file beside the database for requests of its status. Any thread.
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
  ///   - log: The log of the host.
  ///   - directory: The directory of the workspace.
  ///   - states: Notified repeatedly that the host is still starting while the history cannot be written.
  init(log: HostLog, workspace directory: String, states: HostStates) {
    self.log = log
    self.states = states
    note = HostNote(in: directory)
  }

  /// Why the history cannot be written now; nil if it can.
  var failure: WriteFailure? { state.withLock(\.failure) }

  /// Notes that the host has become the host of the workspace. `onChange` is called at the beginning and end of each failure.
  func serve(onChange: (@Sendable () -> Void)?) {
    let failure = state.withLock { state in
      (state.isServing, state.onChange) = (true, onChange)
      return state.failure
    }
    if let failure { write(failure) } else { note.remove() }
  }

  /// Notes that the host has started.
  func becameReady() { state.withLock { $0.isReady = true } }

  /// Notes that the host no longer serves.
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
      "the host has not been able to write \(failure.concernsFiles ? "the files of runs" : "the history") since \(failure.since.text), so nothing new starts; \(failure.heldRecords) records (\(failure.heldBytes >> 10) KiB) are kept in memory: \(failure.error.advice)"
    )
    let (isServing, onChange, isFirst) = state.withLock { state in
      defer { state.failure = failure }
      return (state.isServing, state.onChange, state.failure == nil && !state.isReady)
    }
    if isServing { write(failure) }
    onChange?()
    if isFirst { Task { await keepManagerWaiting(since: failure.since) } }
  }

  /// Uses the time of the waiting manager rather than that of the host, which a test may inject.
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

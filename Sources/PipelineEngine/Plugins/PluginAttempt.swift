import PluginHost
import RunHistory
import Synchronization
import Values

/// Is notified when an attempt has something to take. *On the event loop.*
protocol PluginAttemptObserver: AnyObject, Sendable {
  func hasNews()
}

/// One attempt of a plugin's operation: receives the instance's reports, on any thread, and passes them to the engine on the event loop.
final class PluginAttempt: PluginInstanceEvents {
  typealias Outcome = Result<JSONValue?, any Error>

  private struct State {
    var outcome: Outcome?
    var waiter: CheckedContinuation<Outcome, Never>?
    var lines: [String] = []
    /// The total size of the waiting lines, in bytes.
    var size = 0
    var dropped = 0
    var progress: PluginProgress?
    var isFlushing = false
  }

  /// The maximum size of lines waiting to be written to the log, in bytes; the excess is dropped.
  static let logLimit = 4 << 20

  private let state = Mutex(State())
  /// Notified on the event loop soon after there is something to take.
  private let log: any PluginAttemptObserver
  private let loop: EventLoop

  init(log: any PluginAttemptObserver, loop: EventLoop) {
    self.log = log
    self.loop = loop
  }

  /// Its outcome, if it has ended.
  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Waits for the end of the instance. Cancelling the task requests the instance to end within `grace`.
  func wait(
    isolation: isolated (any Actor)? = #isolation, for instance: any PluginInstance, grace: Duration
  ) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state -> Outcome? in
          if state.outcome == nil { state.waiter = continuation }
          return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      instance.stop(grace: grace)
    }
  }

  /// Ends the attempt immediately, whatever the instance does.
  func abandon() {
    end(.failure(CancellationError()))
  }

  private func end(_ outcome: Outcome) {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }

  /// Returns what was logged since the last call, and the latest progress.
  func take() -> (lines: [String], progress: PluginProgress?) {
    state.withLock { state in
      state.isFlushing = false
      var lines = state.lines
      if state.dropped > 0 {
        lines.append("warning: \(state.dropped) more lines were dropped because they came too fast")
      }
      defer {
        (state.lines, state.size, state.dropped) = ([], 0, 0)
        state.progress = nil
      }
      return (lines, state.progress)
    }
  }

  // MARK: PluginInstanceEvents

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) {
    switch outcome {
    case .success(let value): end(.success(value))
    case .failure(let failure): end(.failure(OperationFailure(failure)))
    }
  }

  func progressed(_ progress: JSONValue) {
    let fraction = progress["fraction"]?.doubleValue.map { min(max($0, 0), 1) }
    let message = progress["message"]?.stringValue
    guard fraction != nil || message != nil else { return }
    change { $0.progress = PluginProgress(fraction: fraction, message: message) }
  }

  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {
    let line = PluginLogLine.text(level, message, fields)
    change { state in
      guard state.size < Self.logLimit else {
        state.dropped += 1
        return
      }
      state.lines.append(line)
      state.size += line.utf8.count
    }
  }

  // Neither applies to operations.
  func yielded(_ signal: PluginSignal) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}

  private func change(_ body: (inout State) -> Void) {
    let isNew = state.withLock { state in
      body(&state)
      defer { state.isFlushing = true }
      return !state.isFlushing
    }
    if isNew { loop.execute { [log] in log.hasNews() } }
  }
}

/// Formats a line that a plugin logs for a log file: `warning: the message {"attempt":2}`.
enum PluginLogLine {
  static func text(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) -> String {
    let word =
      switch level {
      case .debug: "debug: "
      case .info: ""
      case .warning: "warning: "
      case .error: "error: "
      }
    return word + PluginLogText.words(message, fields)
  }
}

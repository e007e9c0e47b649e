import PipelineLanguage
import RunHistory

/// A request to let an operation that waits for a retry start it immediately; the host of its run is notified.
package struct RetryWake: Sendable {
  /// The run that the operation belongs to.
  package let run: RunRecord
  /// The run's short id for display.
  package let short: String
  /// The operation while it waited.
  package let operation: OperationRecord

  /// Asks the present or, if it is interrupted, the next host of the run named `name` to wake the operation that `path` leads to from it.
  ///
  /// - Parameters:
  ///   - path: The operation or item: `deploy`, `convert[3]`, or `deploy/build` for an operation of the run that `deploy` has started.
  ///   - name: The run.
  ///   - requester: The requester.
  ///   - history: The history, for writing.
  /// - Throws: ``RunReferenceError``, ``WakeError``, or `WorkspaceError`.
  package init(of path: String, ofRunNamed name: String, for requester: Requester, in history: History) throws {
    let reference = RunReference(history: history)
    let asked = try reference.find(name)
    let end = try reference.end(of: path, from: asked)
    run = end.run
    short = reference.short(run.id)
    operation = try reference.operation(end.operation, in: run)
    guard try !history.wakeRetry(run.id, ordinal: operation.ordinal, by: requester) else { return }
    // It may have continued since it was looked up.
    let latest = try history.run(run.id) ?? run
    guard latest.state == .running else { throw WakeError.runNotRunning(latest, short: short) }
    let now = try history.operations(of: run.id).first { $0.ordinal == operation.ordinal } ?? operation
    throw WakeError.notWaiting(
      now, path: path, asked: reference.short(asked.id),
      others: try WaitingRetries(of: asked, in: history).paths())
  }
}

/// The operations of a run that wait for a retry; those of the runs that its operations have started come last.
package struct WaitingRetries {
  private let run: RunRecord
  private let history: History

  package init(of run: RunRecord, in history: History) {
    self.run = run
    self.history = history
  }

  /// Returns the path from the run to each of them: `upload`, `deploy/build`.
  package func paths() throws -> [String] { try paths(of: run.id, prefix: "", depth: 0) }

  private func paths(of run: RunID, prefix: String, depth: Int) throws -> [String] {
    guard depth <= PipelineLoader.maximumDepth else { return [] }
    var found = try history.operations(of: run).filter { $0.state == .retrying }.map { prefix + $0.name }
    for started in try history.startedRuns(of: run) {
      guard try history.run(started.id)?.state == .running else { continue }
      found += try paths(of: started.id, prefix: "\(prefix)\(started.operation)/", depth: depth + 1)
    }
    return found
  }
}

/// An error: nothing was woken. Nothing was changed.
package enum WakeError: ServiceError {
  /// The run of the operation is not active.
  case runNotRunning(RunRecord, short: String)
  /// The operation is not waiting for a retry. `asked` is the short id of the named run, and `others` are the paths from it to operations that wait for one.
  case notWaiting(OperationRecord, path: String, asked: String, others: [String])

  package var code: String {
    switch self {
    case .runNotRunning(let run, _): "run-\(run.state.rawValue)"
    case .notWaiting: "not-retrying"
    }
  }

  package var description: String {
    switch self {
    case .runNotRunning(let run, let short):
      let words =
        switch run.state {
        case .queued: "has not begun, so nothing in it waits for a retry; `penstock queue` says what it waits for"
        case .failed, .cancelled:
          "\(run.state == .failed ? "has failed" : "was cancelled"), so nothing in it is waiting; `penstock retry \(short)` runs the operations that did not succeed"
        case .interrupted:
          "was interrupted, and the operation was not waiting for a retry; `penstock resume \(short)` resumes it"
        case .succeeded, .running: "has \(run.state.rawValue), so nothing in it is waiting"
        }
      return "run \(short) of '\(TerminalText.visible(run.pipeline))' \(words)"
    case .notWaiting(let operation, let path, let asked, let others):
      let shown = others.prefix(8).map(TerminalText.visible).joined(separator: ", ") + (others.count > 8 ? ", …" : "")
      let hint =
        operation.state == .retrying
        ? "run the command again" : others.isEmpty ? "nothing in the run waits for one" : "these do: \(shown)"
      return
        "'\(TerminalText.visible(path))' of run \(asked) does not wait for a retry: it \(Self.words(of: operation, path: path, asked: asked)); \(hint)"
    }
  }

  /// Returns what an operation is doing, in words that follow "it".
  private static func words(of operation: OperationRecord, path: String, asked: String) -> String {
    switch operation.state {
    case .pending: "has not begun"
    case .waiting: waits(operation, path: path, asked: asked)
    case .running:
      switch operation.operationReason {
      case .items?: "is a loop, whose items are retried separately"
      case .nestedRun?: "is running a pipeline, whose operations are retried separately"
      default: operation.attempts > 1 ? "is running attempt \(operation.attempts)" : "is running"
      }
    // It began to wait a moment ago.
    case .retrying: "has only just begun to wait"
    case .succeeded, .failed: "has \(operation.state.rawValue)"
    case .cancelled, .skipped: "was \(operation.state.rawValue)"
    case .reused: "was reused from another run"
    }
  }

  private static func waits(_ operation: OperationRecord, path: String, asked: String) -> String {
    switch operation.operationReason {
    case .approval?: "waits for an answer (`penstock approve \(asked) \(ShellText.quoted(path))`)"
    case .specification(let condition)?, .gate(let condition)?:
      "waits for \(TerminalText.visible(condition.formula))"
    case .time?: "waits for a time"
    case .round?: "waits for its next round"
    case .concurrency?: "waits for a free slot"
    case .resources(let names)?: "waits for \(names.isEmpty ? "resources" : names.joined(separator: ", "))"
    case .exclusive(let exclusive)?:
      "waits for \(exclusive.name.map { "'\(TerminalText.visible($0))'" } ?? "an exclusive name")"
    default: "waits for something else"
    }
  }
}

import PipelineLanguage
import Values

/// Operations that end as soon as they begin: values, and plugin operations that complete within their start.
///
/// They get no separate task. Starting and ending a task, and the executor checks at each function that may suspend, would be a third of the cost of
/// such an operation.
extension RunEngine {
  /// The outcome of beginning an operation.
  enum Beginning {
    /// It has ended, and its dependents have been settled.
    case ended
    /// It is running: see ``finish(_:after:)``.
    case running(LoopBound<BegunAttempt>)
    /// It has not begun and must be executed by its own task.
    case needsTask
  }

  /// Begins an operation if that is possible without waiting.
  func beginAtOnce(_ ordinal: Int) -> Beginning {
    let node = run.state.instances[ordinal].node
    // An attempt that a former host began may have to wait until that is recorded.
    guard node.mayEndAtOnce, run.state.instances[ordinal].attempts == 0, run.state.former[ordinal]?.retryState == nil,
      run.services.writing.mayBegin, run.cancellation == nil, !run.isForced, !Task.isCancelled,
      !run.willReadFiles(ordinal),
      run.recordedItems.conditional[ordinal] == nil
    else { return .needsTask }
    do {
      // The scheduler has already taken the slot for the first attempt.
      guard try Attempt(run: run, ordinal: ordinal).beginAtOnce() else { return .needsTask }
    } catch {
      fail(ordinal, error)
      hasFinished(ordinal)
      return .ended
    }
    let begun = node.action.start(ordinal, of: run)
    switch begun {
    case .ended(.success(.value(let value))) where value.isLarge: return .running(LoopBound(begun))
    case .ended(let outcome):
      conclude(ordinal, with: outcome)
      return .ended
    case .running:
      run.recorder.recordIfLasting(ordinal)
      return .running(LoopBound(begun))
    }
  }

  /// Waits for a running attempt to end, or for its large result to be written, and ends the operation.
  func finish(_ ordinal: Int, after begun: LoopBound<BegunAttempt>) async {
    do {
      let attempt = Attempt(run: run, ordinal: ordinal)
      succeed(ordinal, try await attempt.finish { try await begun.value.end() })
    } catch {
      fail(ordinal, error)
    }
    hasFinished(ordinal)
  }

  /// Ends the only attempt of an operation, and with it the operation.
  private func conclude(_ ordinal: Int, with outcome: Result<OperationResult, any Error>) {
    do {
      succeed(ordinal, try Attempt(run: run, ordinal: ordinal).finish(outcome))
    } catch {
      fail(ordinal, error)
    }
    hasFinished(ordinal)
  }
}

import PipelineLanguage
import Values

/// Operations that end while they are begun: values, and those of plugins that complete within their start.
///
/// They need no task of their own. Its beginning, its end, and the question at each function that may wait where to go on, would be a third of what
/// such an operation costs.
extension RunEngine {
  /// What came of beginning an operation.
  enum Beginning {
    /// It has ended, and its dependents know.
    case ended
    /// It goes on: see ``finish(_:after:)``.
    case running(LoopBound<BegunAttempt>)
    /// Nothing: it has to be executed by a task of its own.
    case needsTask
  }

  /// Begins an operation where that can be done without waiting for anything.
  func beginAtOnce(_ ordinal: Int) -> Beginning {
    let node = run.state.instances[ordinal].node
    // What a former host of the run has begun may have to wait for the record of that.
    guard node.mayEndAtOnce, run.state.instances[ordinal].attempts == 0, run.state.former[ordinal]?.retryState == nil,
      run.services.writing.mayBegin, run.cancellation == nil, !run.isForced, !Task.isCancelled,
      !run.willReadFiles(ordinal),
      run.recordedItems.conditional[ordinal] == nil
    else { return .needsTask }
    do {
      // The slot of its first attempt the scheduler has taken.
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

  /// Waits for the end of an attempt that goes on, or for its result to be written where that is large, and ends the operation.
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

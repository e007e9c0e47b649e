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
    /// The instance of its plugin goes on: see ``finish(_:_:_:)``.
    case running(PluginUse, PluginRun)
    /// A large result, which has yet to be written: see ``finish(_:_:isMoment:)``.
    case computed(Result<OperationResult, any Error>, isMoment: Bool)
    /// Nothing: it has to be executed by a task of its own.
    case needsTask
  }

  /// Begins an operation where that can be done without waiting for anything.
  func beginAtOnce(_ ordinal: Int) -> Beginning {
    let node = state.instances[ordinal].node
    // What a former host of the run has begun may have to wait for the record of that.
    guard let action = node.atOnce, state.instances[ordinal].attempts == 0, state.former[ordinal]?.retryState == nil,
      cancellation == nil, !isForced, !Task.isCancelled, !willReadFiles(ordinal),
      recordedItems.conditional[ordinal] == nil
    else { return .needsTask }
    switch action.kind {
    case .value(let action):
      let outcome = beginMoment(ordinal, action)
      if case .success(.value(let value)) = outcome, value.isLarge {
        return .computed(outcome, isMoment: true)
      }
      conclude(ordinal, with: outcome, isMoment: true)
      return .ended
    case .plugin(let use):
      // The slot of its first attempt, which the scheduler took.
      guard state.instances[ordinal].turn.hasSlot else { return .needsTask }
      do {
        try requireOwnership()
      } catch {
        fail(ordinal, error)
        hasFinished(ordinal)
        return .ended
      }
      state.instances[ordinal].turn.hasSlot = false
      countAttempt(ordinal, mayEndAtOnce: true)
      do {
        switch try use.begin(ordinal, in: self) {
        case .ended(.value(let value)) where value.isLarge:
          return .computed(.success(.value(value)), isMoment: false)
        case .ended(let result): conclude(ordinal, with: .success(result))
        case .running(let run):
          recorder.recordIfLasting(ordinal)
          return .running(use, run)
        }
      } catch {
        conclude(ordinal, with: .failure(error))
      }
      return .ended
    }
  }

  /// Waits for the end of an operation whose instance goes on.
  func finish(_ ordinal: Int, _ use: PluginUse, _ run: PluginRun) async {
    let outcome: Result<OperationResult, any Error>
    do {
      outcome = .success(try await use.end(of: run, ordinal, in: self))
    } catch {
      outcome = .failure(error)
    }
    await writeIfLarge(ordinal, outcome)
    conclude(ordinal, with: outcome)
  }

  /// Ends an operation whose result is large.
  func finish(_ ordinal: Int, _ outcome: Result<OperationResult, any Error>, isMoment: Bool) async {
    await writeIfLarge(ordinal, outcome)
    conclude(ordinal, with: outcome, isMoment: isMoment)
  }

  /// Ends the only attempt of an operation, and with it the operation.
  private func conclude(_ ordinal: Int, with outcome: Result<OperationResult, any Error>, isMoment: Bool = false) {
    do {
      try endOnlyAttempt(ordinal, outcome, isMoment: isMoment)
    } catch {
      fail(ordinal, error)
    }
    hasFinished(ordinal)
  }
}

/// A controller that is one asynchronous function.
///
/// ```swift
/// struct Metronome: TaskController {
///   let every: Duration
///
///   func run(with controls: PluginControls<Int>) async throws {
///     let clock = controls.context.pluginClock
///     while true {
///       try await clock.delay(for: every)
///       controls.rerun(reason: "tick", at: clock.now())
///     }
///   }
/// }
/// ```
///
/// The function runs in a task of its own, which is cancelled when the controlling shall end. The host of a plugin waits,
/// within bounds, until it has returned, so that it can tidy up. When it returns by itself the controller has nothing more
/// to say; when it throws, the controller has failed.
public protocol TaskController<State>: OperationController {
  // Named again so that the compiler finds it by `run`.
  /// The state of the stores that can be controlled.
  associatedtype State

  /// Drives what `controls` control, until the task is cancelled or nothing more is to come.
  func run(with controls: OperationControls<State>) async throws
}

extension TaskController {
  /// Runs ``run(with:)`` in a task, which the subscription cancels. What it throws is logged.
  public func control(with controls: OperationControls<State>) -> OperationSubscription {
    let task = Task {
      do {
        try await run(with: controls)
      } catch is CancellationError {
        return
      } catch {
        controls.context.operationLogger.error("a controller of \(controls.path) has failed: \(error)")
      }
    }
    return OperationSubscription { task.cancel() }
  }
}

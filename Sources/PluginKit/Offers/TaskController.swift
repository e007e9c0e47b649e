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
/// The function runs in its own task, which is cancelled when the controller is to end. A plugin host waits, up to a limit, until it has returned,
/// so that it can clean up. If it returns by itself, the controller is done; if it throws, the controller has failed.
public protocol TaskController<State>: OperationController {
  // Declared again so that the compiler infers it from `run`.
  /// The state of the stores that can be controlled.
  associatedtype State

  /// Drives the operations behind `controls`, until the task is cancelled or the controller is done.
  func run(with controls: OperationControls<State>) async throws
}

extension TaskController {
  /// Runs ``run(with:)`` in a task that the subscription cancels. An error that it throws is logged.
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

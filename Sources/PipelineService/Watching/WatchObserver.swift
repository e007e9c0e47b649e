import PipelineLanguage
import RunHistory

/// Shows a watched pipeline, and receives the request to end the watching.
package protocol WatchObserver: Sendable {
  /// Which events of a run it wants.
  var events: RunEventRange { get }

  /// Shows a run of `pipeline` from its beginning to its end.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline.
  ///   - onInterruption: To be called when the watching is to end. The run is then to be cancelled, by cancelling the task of `body`.
  ///   - body: Runs it, and reports its events.
  /// - Returns: The value returned by `body`, once everything is shown.
  /// - Throws: The error of `body`, or the reason why nothing can be shown.
  func show(
    _ pipeline: PipelineDefinition, onInterruption: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> RunOutcome

  /// Called when nothing runs any more. `onInterruption` is to be called when the watching is to end.
  ///
  /// - Returns: A closure that ends the idling; once it has returned, a run may begin.
  /// - Throws: The reason why it cannot listen for interruptions.
  func idle(onInterruption: @escaping @Sendable () -> Void) throws -> @Sendable () async -> Void

  /// Called when a run has ended.
  func ended(_ run: RunRecord)

  /// Called when the files cannot be run as they are.
  func refused(_ error: any Error)

  func tell(_ notice: WatchNotice)
}

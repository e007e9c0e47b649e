import PipelineLanguage
import RunHistory

/// Who shows a watched pipeline and hears when it is to end.
package protocol WatchObserver: Sendable {
  /// Which events of a run are wanted.
  var events: RunEventRange { get }

  /// Shows a run of `pipeline` from its beginning to its end.
  ///
  /// - Parameters:
  ///   - pipeline: What is run.
  ///   - onInterruption: To be called when the watching is to end. The run is then to be cancelled, by cancelling the task of `body`.
  ///   - body: Runs it, and tells of what happens.
  /// - Returns: What `body` returns, when all is shown.
  /// - Throws: What `body` throws, or why nothing can be shown.
  func show(
    _ pipeline: PipelineDefinition, onInterruption: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> RunOutcome

  /// Nothing runs from now on. `onInterruption` is to be called when the watching is to end.
  ///
  /// - Returns: What ends this; when it has returned, a run may begin.
  /// - Throws: Why nobody can be listened to.
  func idle(onInterruption: @escaping @Sendable () -> Void) throws -> @Sendable () async -> Void

  /// A run has ended.
  func ended(_ run: RunRecord)

  /// The files cannot be run as they are.
  func refused(_ error: any Error)

  func tell(_ notice: WatchNotice)
}

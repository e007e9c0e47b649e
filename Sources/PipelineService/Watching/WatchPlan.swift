import PipelineLanguage
import Values

/// When one definition of a watched pipeline first runs, and the notices that explain why: determined by its file, and by whether a run is requested.
package struct WatchPlan: Sendable {
  /// The text of the condition of `automatic`.
  private let automatic: String?
  /// The text of the condition of `rerun_on_change`.
  private let rerunCondition: String?
  private let hasControllers: Bool
  /// Whether it runs immediately: because that is requested, or because nothing else decides when.
  package let startsAtOnce: Bool

  /// - Parameters:
  ///   - pipeline: The definition.
  ///   - isAsked: Whether a run is requested.
  package init(for pipeline: PipelineDefinition, isAsked: Bool) {
    automatic = pipeline.automatic?.text
    rerunCondition = pipeline.rerunOnChange?.text
    hasControllers = !pipeline.controllers.isEmpty
    startsAtOnce = isAsked || (!hasControllers && automatic == nil)
  }

  /// Whether it must not run when the watching begins, although no condition prevents it: controllers decide when, and watching is not a request.
  package var isHeldBack: Bool { !startsAtOnce && hasControllers }

  /// Whether its first run begins when `automatic` becomes true, if it has not begun by then.
  var waitsForAutomatic: Bool { !startsAtOnce && !hasControllers }

  /// Returns the notice for the beginning of a run.
  ///
  /// - Parameters:
  ///   - number: The number of earlier runs.
  ///   - controller: The controller that requested it, and its event.
  /// - Returns: The notice; nil if the run is the one that was requested, or that `automatic` has begun.
  package func cause(ofRun number: Int, controller: (name: String, event: JSONValue)?) -> WatchNotice? {
    if let controller {
      return .asked(controller: controller.name, reason: controller.event["reason"]?.stringValue)
    }
    let isExpected = number == 0 && (startsAtOnce || automatic != nil)
    return isExpected ? nil : rerunCondition.map(WatchNotice.conditionIsTrue)
  }

  /// Returns the notice for a pipeline of which nothing runs.
  ///
  /// - Parameters:
  ///   - files: The files of the pipeline.
  ///   - controllers: The controllers that may still request a run.
  ///   - hasBegun: Whether there was a run.
  /// - Returns: The notice.
  package func waiting(for files: [String], controllers: [String], hasBegun: Bool) -> WatchNotice {
    let first = hasBegun || !controllers.isEmpty ? nil : automatic
    return .waiting(files: files, causes: [first, rerunCondition].compactMap { $0 } + controllers)
  }
}

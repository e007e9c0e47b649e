import PipelineLanguage
import Values

/// When one definition of a watched pipeline runs first, and what is said of why: decided by its file, and by whether somebody asks.
package struct WatchPlan: Sendable {
  /// The text of `automatic`.
  private let automatic: String?
  /// The text of `rerun_on_change`.
  private let rerunCondition: String?
  private let hasControllers: Bool
  /// Whether it runs at once: where somebody asks for that, or nothing else says when.
  package let startsAtOnce: Bool

  /// - Parameters:
  ///   - pipeline: The definition.
  ///   - isAsked: Whether somebody asks for a run.
  package init(for pipeline: PipelineDefinition, isAsked: Bool) {
    automatic = pipeline.automatic?.text
    rerunCondition = pipeline.rerunOnChange?.text
    hasControllers = !pipeline.controllers.isEmpty
    startsAtOnce = isAsked || (!hasControllers && automatic == nil)
  }

  /// Whether it must not run when the watching begins, although nothing forbids it: controllers say when, and to watch is not to ask.
  package var isHeldBack: Bool { !startsAtOnce && hasControllers }

  /// Whether its first run is begun when `automatic` turns true, where it has not begun by then.
  var waitsForAutomatic: Bool { !startsAtOnce && !hasControllers }

  /// What is said when a run begins.
  ///
  /// - Parameters:
  ///   - number: How many runs there were before.
  ///   - controller: The controller that asked for it, and what it told.
  /// - Returns: The notice; nil where the run is the one that was asked for, or that `automatic` has begun.
  package func cause(ofRun number: Int, controller: (name: String, event: JSONValue)?) -> WatchNotice? {
    if let controller {
      return .asked(controller: controller.name, reason: controller.event["reason"]?.stringValue)
    }
    let isExpected = number == 0 && (startsAtOnce || automatic != nil)
    return isExpected ? nil : rerunCondition.map(WatchNotice.conditionIsTrue)
  }

  /// What is said when nothing runs.
  ///
  /// - Parameters:
  ///   - files: The files of the pipeline.
  ///   - controllers: Those that may still ask.
  ///   - hasBegun: Whether there was a run.
  /// - Returns: The notice.
  package func waiting(for files: [String], controllers: [String], hasBegun: Bool) -> WatchNotice {
    let first = hasBegun || !controllers.isEmpty ? nil : automatic
    return .waiting(files: files, causes: [first, rerunCondition].compactMap { $0 } + controllers)
  }
}

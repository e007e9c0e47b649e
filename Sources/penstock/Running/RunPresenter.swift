import PipelineLanguage
import RunHistory

/// Shows a run while it is active. Created and used only on the presentation thread.
protocol RunPresenter: AnyObject {
  /// The interval of ``tick()``; nil for never.
  var tickMilliseconds: Int32? { get }
  /// The descriptor on which answers are typed; nil while there is no question.
  var keyDescriptor: Int32? { get }
  /// Called when that descriptor is readable.
  func readKeys()
  /// Called with new events, in order.
  func show(_ events: [RunEvent])
  /// Called at each interval.
  func tick()
  /// Called when the size of the terminal has changed, or the process continues after it was stopped.
  func redraw()
  /// Called when the process is about to be stopped, or the run has ended: restores the terminal.
  func leave()
  /// Called when the run is being cancelled; `times` counts the requests from 1.
  func cancelling(times: Int)
  /// Called when the run has ended.
  func conclude(_ outcome: RunOutcome)
}

extension RunPresenter {
  var tickMilliseconds: Int32? { nil }
  var keyDescriptor: Int32? { nil }
  func readKeys() {}
  func tick() {}
  func redraw() {}
  func leave() {}
  func cancelling(times: Int) {}
}

/// How much of the output of operations is shown during a run.
enum OutputDisplay: String, CaseIterable, Sendable {
  /// Each line as it is written, after the name of its operation.
  case stream
  /// The last lines of failed operations.
  case failed
  /// Nothing.
  case none
}

/// The configuration of a presenter.
struct RunPresentation: Sendable {
  var pipeline: PipelineDefinition?
  /// The absolute path of the workspace, for reading logs.
  var workspace: String
  var isJSON: Bool
  var isQuiet: Bool
  var color: ColorChoice
  /// How much of the output of operations is shown during the run.
  var output = OutputDisplay.failed
  /// The operations whose results are printed at the end; nil for those that declare a result and that no other depends on.
  var results: [String]?
  /// Whether there is nothing to show, because no run is active.
  var isIdle = false
  /// Whether the run was begun by another process.
  var isResumed = false
  /// Whether another process runs it, so that earlier events are reported as well.
  var isFollowed = false
  /// Answers the question of an operation of a run; nil if keys cannot be used, because standard input belongs to the run.
  var answer: (@Sendable (_ run: RunRecord, _ operation: String, _ isApproved: Bool) throws -> Void)?

  /// Finds information about waiting operations that is not recorded; nil if that is impossible.
  var waits: WaitSource?

  /// What the engine need tell.
  var events: RunEventRange { isQuiet && !isJSON && output != .stream ? .ends : .all }

  /// Returns whether an event can affect the output. A quiet run only reports failures, so other events need not wake its presenter.
  func wants(_ event: RunEvent) -> Bool {
    guard events == .ends else { return true }
    switch event {
    case .run: return true
    case .operation(let record): return record.state == .failed
    case .attempt(let record): return record.state == .failed
    case .approval, .progress, .notice, .output: return false
    }
  }

  func makePresenter() -> any RunPresenter {
    if isIdle { return IdlePresenter() }
    if isJSON { return JSONPresenter(self) }
    let isLive =
      TextOutput.standard.isTerminal && !isQuiet && output != .stream
      && Environment["TERM"].map { $0 != "dumb" } ?? false
    return isLive ? TerminalPresenter(self) : PlainPresenter(self)
  }
}

import PipelineLanguage
import RunHistory

/// Shows a run while it goes on. Made and used on the presentation thread alone.
protocol RunPresenter: AnyObject {
  /// How often ``tick()`` is wanted; nil for never.
  var tickMilliseconds: Int32? { get }
  /// Where a person types answers; nil while nothing is asked.
  var keyDescriptor: Int32? { get }
  /// That descriptor is readable.
  func readKeys()
  /// Events have come, in order.
  func show(_ events: [RunEvent])
  /// Time has passed.
  func tick()
  /// The terminal has another size, or is ours again after the process was stopped.
  func redraw()
  /// The process is about to be stopped, or the run has ended: leave the terminal as it was.
  func leave()
  /// The run was asked to end; `times` counts from 1.
  func cancelling(times: Int)
  /// The run has ended.
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

/// What of the output of operations is shown while their run goes on.
enum OutputDisplay: String, CaseIterable, Sendable {
  /// Each line as it is written, behind the name of its operation.
  case stream
  /// The last lines of what failed.
  case failed
  /// Nothing.
  case none
}

/// What presenters are made from.
struct RunPresentation: Sendable {
  var pipeline: PipelineDefinition?
  /// The absolute path of the workspace, for reading logs.
  var workspace: String
  var isJSON: Bool
  var isQuiet: Bool
  var color: ColorChoice
  /// What of the output of operations is shown while the run goes on.
  var output = OutputDisplay.failed
  /// The operations whose results are printed at the end; nil for those that no other depends on and that declare one.
  var results: [String]?
  /// Whether there is nothing to show, because no run goes on.
  var isIdle = false
  /// Whether the run was begun by another process.
  var isResumed = false
  /// Whether another process runs it, and what has happened before is told as well.
  var isFollowed = false
  /// Answers the question of an operation of a run; nil where nobody can answer by keys, because standard input is the run's.
  var answer: (@Sendable (_ run: RunRecord, _ operation: String, _ isApproved: Bool) throws -> Void)?

  /// What the engine need tell.
  var events: RunEventRange { isQuiet && !isJSON && output != .stream ? .ends : .all }

  /// Whether an event can change anything that is shown. A quiet run tells of failures alone, so nothing else need wake its presenter.
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

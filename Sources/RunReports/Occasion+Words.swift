import PipelineLanguage
import RunHistory

/// What is said of each reason for which there is no run, wherever people read it. Programs have its code.
extension Occasion.Reason {
  /// What gives a person the run all the same, or what keeps the next one from being left out.
  private enum Help {
    /// To start one.
    case start
    /// A text, which may name a command.
    case text(String)
    case none
  }

  /// Why there is no run, in a clause, and what helps.
  private var row: (clause: String, help: Help) {
    switch self {
    case .overlap: ("another run was in progress or queued", .text("`overlap: queue` gives each occasion its run"))
    case .paused: ("the pipeline was paused", .start)
    case .notAutomatic: ("a condition kept it from running", .start)
    case .notStale: ("its latest success was fresh enough", .start)
    case .hostDown: ("no host was running", .start)
    case .notServed: ("the host did not find its file", .start)
    case .catchUpLimit: ("more instants were missed than `catch_up` makes up for", .start)
    case .leftOut: ("its trigger left it out", .start)
    case .tooLate: ("it did not begin within `start_within`", .start)
    case .queueFull: ("the queue was full", .text("`penstock queue` shows what fills it"))
    case .invalidDefinition: ("its file had errors", .text("`penstock status` shows them"))
    case .invalidParams: ("its params were rejected", .none)
    case .duplicate: ("another occasion was identical", .none)
    case .cancelled: ("it was cancelled before it began", .start)
    }
  }

  /// Why there is no run: `no host was running`.
  package var clause: String { row.clause }

  /// What helps; nil if nothing does.
  fileprivate func remedy(_ start: String) -> String? {
    switch row.help {
    case .start: "`\(start)` runs it now"
    case .text(let text): text
    case .none: nil
    }
  }
}

extension Occasion {
  /// The run that came of it; nil for one that stood in its way.
  package var ownRun: RunID? { outcome == .skipped && reason == .overlap ? nil : run }

  /// Why there is no run, in a clause: `run 03kx9fab was in progress or queued`. Where there is one, what decided that, as far as it is recorded; else nil.
  ///
  /// - Parameters:
  ///   - short: How runs are named.
  ///   - canceller: Finds who cancelled a run. Default: nobody is known.
  /// - Returns: The clause, in one line.
  package func because(short: (RunID) -> String, canceller: (RunID) -> RunCanceller? = { _ in nil }) -> String? {
    let detail = detail.map(TerminalText.oneLine)
    guard let reason else { return detail }
    switch reason {
    case .overlap where outcome == .replaced: return "a later run took its place"
    case .overlap:
      guard let run else { break }
      return "run \(short(run)) was in progress or queued"
    case .paused:
      // It says so itself: `paused by ada: moving`.
      if let detail, detail.hasPrefix(reason.rawValue) { return "the pipeline was \(detail)" }
    case .cancelled:
      return run.flatMap(canceller).map { TerminalText.oneLine("it was \($0.words) before it began") } ?? reason.clause
    case .hostDown:
      if let detail, detail.hasPrefix(Occasion.clockJump) || detail.hasPrefix(Occasion.draining) { return detail }
    case .notServed:
      if let detail, detail.hasPrefix(Occasion.edited) { return detail }
    case .duplicate where detail == Occasion.forgotten: return Occasion.forgotten
    // What is recorded beside these says what asked for the run.
    case .tooLate, .duplicate: return reason.clause
    default: break
    }
    return reason.clause + (detail.map { ": \($0)" } ?? "")
  }

  /// What helps against the reason, a clause; nil if there is a run, or nothing helps.
  ///
  /// - Parameter start: The command that starts a run of the pipeline.
  /// - Returns: The clause, such as `` `penstock start nightly` runs it now``.
  package func remedy(start: String) -> String? {
    // A later run took its place.
    outcome == .replaced ? nil : reason?.remedy(start)
  }
}

extension PublishedPipeline {
  /// The command that starts a run of it, with the params that must be given: `penstock start nightly -p date=…`.
  ///
  /// - Parameter definition: Its definition; nil if it cannot be read.
  /// - Returns: The command.
  package func startCommand(_ definition: PipelineDefinition?) -> String {
    let params = definition?.parameters.filter { $0.defaultValue == nil } ?? []
    return (["penstock start \(ShellText.quoted(name))"] + params.map { "-p \($0.name)=…" }).joined(separator: " ")
  }
}

import PipelineLanguage
import RunHistory

/// The runs of a host in which nothing is at work, because the host lets no more operations begin.
struct SlotlessRuns {
  /// Operations of one run that could begin.
  struct Wait {
    /// Their names, behind those that lead to them from the run that somebody has started.
    var names: [String]
    var slot: SlotWait

    /// `'a' waits for one of the 2 processes that …`.
    var words: String { slot.words(of: names) }
  }

  private let slot: SlotWait?
  private let runs: [RunID: [RunWithoutWork]]
  private let history: History

  /// - Parameters:
  ///   - host: The host; nil where none serves the workspace.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  init(of host: HostRecord?, in history: History) throws {
    self.history = history
    slot = try host.flatMap { try BusyHost($0, in: history) }.map { SlotWait(of: $0) }
    // Where more may begin, they are about to.
    let idle = try slot == nil ? [] : host.map { try history.runsWithoutWork(of: $0.owner) } ?? []
    runs = Dictionary(grouping: idle, by: \.root)
  }

  /// What a run waits for, or the first one nested in it that does; nil where none does.
  ///
  /// - Parameter run: A run that somebody or something has started.
  /// - Returns: The operations, and what they wait for.
  /// - Throws: `WorkspaceError`.
  func wait(of run: RunID) throws -> Wait? {
    guard let slot else { return nil }
    for idle in runs[run] ?? [] {
      guard let recorded = try history.loadForResume(idle.run),
        let pipeline = PipelineLoader.load(
          text: recorded.definition, path: recorded.run.path ?? "\(recorded.run.pipeline).yaml", plugins: .unchecked,
          isRecorded: true
        ).pipeline
      else { continue }
      let names = SlotWait.startable(in: pipeline, recorded.operations)
      if !names.isEmpty { return Wait(names: names.map { idle.path + $0 }, slot: slot) }
    }
    return nil
  }
}

import PipelineLanguage
import RunHistory

/// The runs of a host in which no operation is active, because the host has no free slot for operations.
struct SlotlessRuns {
  /// Operations of one run that could begin.
  struct Wait {
    /// Their names, with the path from the outermost run.
    var names: [String]
    var slot: SlotWait

    /// `'a' waits for one of the 2 processes that …`.
    var words: String { slot.words(of: names) }
  }

  private let slot: SlotWait?
  private let runs: [RunID: [RunWithoutWork]]
  private let history: History

  /// - Parameters:
  ///   - host: The host; nil if none serves the workspace.
  ///   - history: The history.
  /// - Throws: `WorkspaceError`.
  init(of host: HostRecord?, in history: History) throws {
    self.history = history
    slot = try host.flatMap { try BusyHost($0, in: history) }.map { SlotWait(of: $0) }
    // If more operations may begin, they are about to.
    let idle = try slot == nil ? [] : host.map { try history.runsWithoutWork(of: $0.owner) } ?? []
    runs = Dictionary(grouping: idle, by: \.root)
  }

  /// What a run, or the first waiting run nested in it, waits for; nil if none waits.
  ///
  /// - Parameter run: An outermost run, which a user or a trigger started.
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

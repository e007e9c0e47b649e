import Workspace

/// The processes that the gone host of a run left running, with those of its interrupted nested runs.
struct FormerProcesses {
  let history: History
  let delayer: LoopDelayer

  /// Ends the processes of a run that `host` ran. `areLeft` is asked before processes of the run itself are ended; those of a nested run are left alone
  /// where somebody has resumed that run.
  ///
  /// What cannot be read of the history is taken for empty: the environment of processes tells of most of them.
  func end(
    of run: RunID, host: ProcessIdentity, isolation: isolated (any Actor)? = #isolation,
    if areLeft: () -> Bool
  ) async -> LeftoverProcesses.Outcome {
    var outcome = await LeftoverProcesses.end(
      RunTraces(of: run, host: host, in: history), delayer: delayer, if: areLeft)
    // Nested runs that have ended left nothing; there may be thousands.
    let interrupted = (try? history.runs(RunFilter(states: [.interrupted], includesNested: true))) ?? []
    let nested = Dictionary(grouping: interrupted.filter { $0.parent != nil }) { $0.parent?.run }
    var open = [run]
    while let parent = open.popLast() {
      for child in nested[parent] ?? [] {
        let id = child.id
        open.append(id)
        let rest = await LeftoverProcesses.end(RunTraces(of: id, host: child.owner, in: history), delayer: delayer) {
          (try? history.run(id))?.state == .interrupted
        }
        outcome.ended += rest.ended
        outcome.remaining += rest.remaining
        outcome.undecided += rest.undecided
      }
    }
    return outcome
  }
}

extension RunTraces {
  /// The traces of a run that `host` ran. Recorded process ids count only where they mean something here: not where the host was in another pid namespace, or
  /// ran before the computer was started.
  init(of run: RunID, host: ProcessIdentity, in history: History) {
    let recorded = host.isVisible ? try? history.recordedProcesses(of: run) : nil
    self.init(of: run, workspace: history.workspace.directory, recorded: recorded ?? [])
  }
}

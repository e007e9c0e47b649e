import OperatingSystem
import RunHistory
import Values
import Workspace

/// The processes that the dead host of a run left running, with those of its interrupted nested runs.
package struct FormerProcesses {
  let history: History
  let delayer: LoopDelayer
  /// Whether the scan is repeated each second, for as long as necessary, if something could not be examined for lack of descriptors or memory.
  let isPatient: Bool

  /// Terminates the processes of a run that `host` executed. `areLeft` is called before processes of the run itself are terminated; those of a nested
  /// run are left alone if that run has been resumed.
  ///
  /// If the history cannot be read, or something cannot be examined, the outcome says so, unless a later scan succeeds, as most shortages pass.
  /// `waits` is called before each pause of a second.
  func end(
    of run: RunID, host: ProcessIdentity, isolation: isolated (any Actor)? = #isolation,
    if areLeft: () -> Bool, waits: () -> Bool = { true }
  ) async -> LeftoverProcesses.Outcome {
    var outcome = await endOnce(of: run, host: host, if: areLeft)
    var looks = 1
    while outcome.couldNotLook, isPatient || looks < Self.looks {
      guard looks < Self.looks || waits() else { break }
      do {
        try await delayer.delay(for: looks < Self.looks ? Self.shortPause : Self.pause)
      } catch {
        break
      }
      let ended = outcome.ended
      outcome = await endOnce(of: run, host: host, if: areLeft)
      outcome.ended += ended
      looks += 1
    }
    return outcome
  }

  /// The number of scans with short pauses.
  private static let looks = 3
  private static let shortPause = Duration.milliseconds(20)
  private static let pause = Duration.seconds(1)

  private func endOnce(
    of run: RunID, host: ProcessIdentity, isolation: isolated (any Actor)? = #isolation, if areLeft: () -> Bool
  ) async -> LeftoverProcesses.Outcome {
    var (outcome, isComplete) = await LookFailures.observe(isolation: isolation) {
      await endWhatIsSeen(of: run, host: host, if: areLeft)
    }
    outcome.couldNotLook = !isComplete
    return outcome
  }

  private func endWhatIsSeen(
    of run: RunID, host: ProcessIdentity, isolation: isolated (any Actor)? = #isolation, if areLeft: () -> Bool
  ) async -> LeftoverProcesses.Outcome {
    let history = history
    var outcome = await LeftoverProcesses.end(
      await BlockingWork.run { RunTraces(of: run, host: host, in: history) }, delayer: delayer, if: areLeft)
    // Nested runs that have ended left nothing; there may be thousands.
    let nested = await BlockingWork.run {
      let interrupted = Self.known { try history.runs(RunFilter(states: [.interrupted], includesNested: true)) } ?? []
      return Dictionary(grouping: interrupted.filter { $0.parent != nil }) { $0.parent?.run }
    }
    var open = [run]
    while let parent = open.popLast() {
      for child in nested[parent] ?? [] {
        let id = child.id
        open.append(id)
        let traces = await BlockingWork.run { RunTraces(of: id, host: child.owner, in: history) }
        let rest = await LeftoverProcesses.end(traces, delayer: delayer) {
          (try? history.run(id))?.state == .interrupted
        }
        outcome.ended += rest.ended
        outcome.remaining += rest.remaining
        outcome.undecided += rest.undecided
      }
    }
    if !outcome.undecided.isEmpty {
      let undecided = outcome.undecided
      outcome.undecided = await BlockingWork.run { Self.withoutOthers(undecided, in: history) }
    }
    return outcome
  }

  /// Terminates what the dead host of a run, or of those nested in it, left running, before another operation gets what the run held: those processes
  /// may still use it.
  ///
  /// An unreadable history is not an error here; the caller will encounter it soon enough.
  ///
  /// - Throws: ``EngineError/processesRemain(_:of:)`` or ``EngineError/processesUnknown(of:)``.
  func endLeft(
    of run: RunID, host: ProcessIdentity, isolation: isolated (any Actor)? = #isolation, noticing: (String) -> Void
  ) async throws {
    // For a run that has been resumed in the meantime, they have been terminated, and its processes belong to another host.
    let isLeft = { (try? history.run(run)?.state.isFinal) ?? false }
    let outcome = await end(of: run, host: host, if: isLeft)
    if isLeft() { for notice in outcome.notices(of: host) { noticing(notice) } }
    if let error = outcome.error(of: run) { throw error }
  }

  /// Returns what the history contains, or nil if it cannot be read, which is noted.
  fileprivate static func known<T>(_ read: () throws -> T) -> T? {
    do {
      return try read()
    } catch {
      LookFailures.note()
      return nil
    }
  }

  /// Returns each process once, without those known to belong to another interrupted run.
  private static func withoutOthers(
    _ undecided: [ProcessTable.Entry], in history: History
  ) -> [ProcessTable.Entry] {
    var known = Set(look(in: history, limit: 20).left.map(\.process))
    return undecided.filter { known.insert($0).inserted }
  }

  /// What interrupted runs have left running.
  package struct Left {
    /// The latest interrupted runs, including nested ones.
    package var runs: [RunRecord] = []
    package var left: [(process: ProcessTable.Entry, run: RunID)] = []
    /// Processes that cannot be attributed to any of the runs with certainty.
    package var undecided: [ProcessTable.Entry] = []
  }

  /// Finds what interrupted runs have left running, by the same rules as ``end(of:host:isolation:if:waits:)``. Terminates nothing.
  package static func look(in history: History, limit: Int = 100) -> Left {
    var result = Left()
    result.runs = (try? history.runs(RunFilter(states: [.interrupted], includesNested: true, limit: limit))) ?? []
    var (known, undecided): (Set<ProcessTable.Entry>, [ProcessTable.Entry]) = ([], [])
    var traces = result.runs.map { RunTraces(of: $0.id, host: $0.owner, in: history) }
    // Processes that have started since the first run began need to be scanned only once.
    let first = traces.indices.min { (traces[$0].begin ?? .max) < (traces[$1].begin ?? .max) }
    for index in traces.indices where index != first { traces[index].begin = nil }
    for (run, traces) in zip(result.runs, traces) {
      let looked = LeftoverProcesses.look(traces)
      for process in looked.found where known.insert(process).inserted { result.left.append((process, run.id)) }
      undecided += looked.undecided
    }
    result.undecided = undecided.filter { known.insert($0).inserted }
    return result
  }
}

extension LeftoverProcesses.Outcome {
  /// Returns why no host may replace the former host of a run: some of its processes are running, or may be.
  func error(of run: RunID) -> EngineError? {
    if let remainingText { return .processesRemain(remainingText, of: run) }
    return couldNotLook ? .processesUnknown(of: run) : nil
  }

  /// Returns the notices about this for a run that is resumed after `host`.
  func notices(of host: ProcessIdentity) -> [String] {
    var notices: [String] = []
    if host.isElsewhere {
      notices.append(
        "cannot end processes of the former host from here: it ran in another container (pid namespace)"
      )
    }
    if ended > 0 {
      notices.append(
        "ended \(Count.of(ended, "process", plural: "processes")) that the former host had left running")
    }
    if !undecided.isEmpty {
      let processes = LeftoverProcesses.text(of: undecided)
      notices.append("cannot tell whether the former host left \(processes) running; `penstock doctor` says why")
    }
    return notices
  }
}

extension RunTraces {
  /// Creates the traces of a run that `host` executed. Recorded process ids count only if they are meaningful here: not if the host was in another
  /// pid namespace, or ran before the computer was booted.
  init(of run: RunID, host: ProcessIdentity, in history: History) {
    let workspace = history.workspace.directory
    guard host.isVisible else {
      self.init(of: run, workspace: workspace)
      return
    }
    let file = ProcessRecords.read(of: run, in: workspace)
    let recorded = Set(FormerProcesses.known { try history.recordedProcesses(of: run) } ?? [])
      .union(file?.processes ?? [])
    let created = FormerProcesses.known { try history.run(run) }??.createdAt
    // The clock may have been set since the run was created, and the file may be a later host's.
    let begin = [created.map(ProcessTable.ticksSinceBoot(at:)), file?.created].compactMap(\.self).min()
    self.init(of: run, workspace: workspace, recorded: Array(recorded), begin: begin)
  }
}

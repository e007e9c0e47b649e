import CProcess
import Glibc

/// What runs after the operations: handlers, and the end of processes that were left behind.
extension RunEngine {
  /// Runs the handlers that the outcome asks for, and returns the outcome of the whole run with its reason.
  func runHandlers() async -> (RunState, String?) {
    var (outcome, reason) = operationsOutcome()
    guard engineFailure == nil, !state.pipeline.handlers.isEmpty else { return (outcome, reason) }
    state.outcome = (outcome, reason, end(of: state.startedAt, state.started))
    state.status = ExpressionStatus(hasFailure: outcome == .failed, isCancelled: outcome == .cancelled)
    let wanted: PipelineDefinition.Event = outcome == .succeeded ? .success : outcome == .cancelled ? .cancel : .failure
    let first = state.pipeline.operations.count
    let ordinals = state.pipeline.handlers.indices.map { first + $0 }.filter { ordinal in
      let event = state.instances[ordinal].node.event
      return (event == wanted || event == .always) && !state.instances[ordinal].state.isFinal
    }
    // A task of their own: handlers run although the run's tasks were cancelled.
    let failed = await Task(executorPreference: services.loop) { await self.execute(handlers: ordinals) }.value
    if let failed, outcome == .succeeded {
      outcome = .failed
      reason = "handler-failed: \(failed)"
    }
    return (outcome, reason)
  }

  /// Runs handlers one after another and returns the name of the first that failed.
  private func execute(handlers: [Int]) async -> String? {
    var failed: String?
    for ordinal in handlers where !isForced {
      await executeNode(ordinal)
      if state.instances[ordinal].state == .failed, !state.instances[ordinal].node.definition.allowFailure {
        failed = failed ?? state.instances[ordinal].name
      }
    }
    return failed
  }

  private func operationsOutcome() -> (RunState, String?) {
    switch cancellation {
    case .timeout: return (.failed, "timeout")
    case .history: return (.failed, "history-failed")
    case .engine: return (.failed, "engine-failed")
    case .requested: return (.cancelled, nil)
    case nil: break
    }
    // By their numbers: an instance is large to copy.
    let operations = state.pipeline.operations.indices
    let failed = operations.first {
      state.instances[$0].state == .failed && !state.instances[$0].node.definition.allowFailure
    }
    if let failed { return (.failed, "operation-failed: \(state.instances[failed].name)") }
    if let unsatisfied = operations.first(where: { state.instances[$0].state == .cancelled }) {
      return (.failed, "\(state.instances[unsatisfied].reason ?? "cancelled"): \(state.instances[unsatisfied].name)")
    }
    return (.succeeded, nil)
  }

  /// Ends the processes that operations of this run started and left behind. Other processes are looked at only where there are such.
  func endLeftovers() async {
    let delayer = LoopDelayer(loop: services.loop)
    leftGroups = leftGroups.filter(ProcessTable.isAlive(group:))
    if leftGroups.isEmpty {
      let runner = services.runner
      let areLeft = await AdoptedProcesses.carry(
        LeftoverProcesses.mark(of: state.id), delayer: delayer, isKnown: runner.isRunning)
      guard areLeft else { return }
    }
    let ended = await LeftoverProcesses.end(run: state.id, sessions: leftGroups, delayer: delayer)
    guard ended > 0 else { return }
    let processes = Count.of(ended, "process", plural: "processes")
    emit(.notice(state.id, "ended \(processes) that operations had left running"))
  }
}

/// Processes that outlived the operation, or the host, that started them.
enum LeftoverProcesses {
  /// How long they may take to end by themselves, and then, killed, to be gone.
  private static let grace = Duration.seconds(2)
  /// Nothing tells the end of processes that are not ours, so they are looked at again and again.
  private static let pause = Duration.milliseconds(20)

  /// What the environment of every process of a run holds.
  static func mark(of run: RunID) -> String { "PENSTOCK_RUN_ID=\(run.text)" }

  /// Ends all processes that carry the mark of `run` or are in one of `sessions`, and returns how many there were. Each time that some were
  /// found, and before they are ended, `areLeft` is asked whether those were left behind. The sessions must be known to have processes in them.
  static func end(
    run: RunID, sessions: Set<Int32> = [], delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation,
    if areLeft: () -> Bool = { true }
  ) async -> Int {
    let mark = mark(of: run)
    let found = await find(mark, sessions, delayer: delayer)
    guard !found.isEmpty, areLeft() else { return 0 }
    defer { for pid in found { waitpid(pid, nil, WNOHANG) } }
    for pid in found {
      kill(pid, SIGTERM)
      kill(pid, SIGCONT)
    }
    var waited = Duration.zero
    while waited < grace {
      try? await delayer.delay(for: pause)
      waited += pause
      let remaining = ProcessTable.carrying(mark)
      if remaining.pids.isEmpty, !remaining.isUndecided, ProcessTable.members(ofSessions: sessions).isEmpty { break }
    }
    // One that starts another just before it is killed is outlived by it.
    waited = .zero
    while waited < grace {
      let remaining = await find(mark, sessions, delayer: delayer)
      guard !remaining.isEmpty, areLeft() else { break }
      for pid in remaining { kill(pid, SIGKILL) }
      try? await delayer.delay(for: pause)
      waited += pause
    }
    return found.count
  }

  /// The processes with the mark, and those of the sessions. One that is just becoming another program shows no environment; where there is such a one, it is
  /// looked at again.
  private static func find(
    _ mark: String, _ sessions: Set<Int32>, delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation
  ) async -> Set<Int32> {
    var found = Set(ProcessTable.members(ofSessions: sessions))
    var looks = 0
    repeat {
      let marked = ProcessTable.carrying(mark)
      found.formUnion(marked.pids)
      guard found.isEmpty, marked.isUndecided else { break }
      try? await delayer.delay(for: pause)
      looks += 1
    } while looks < 4
    return found
  }
}

import Glibc
import OperatingSystem
import RunHistory

/// Processes that outlived the operation, or the host, that started them.
///
/// A process belongs to a run if its environment names the run, its output goes to a log of the run, it is a recorded process of the run or in the
/// session of one, or one of these has started it. A process that has left its session, its environment and its log, and whose parent has ended,
/// cannot be distinguished from others: it is undecided. `look` and `end` use the same rules.
package enum LeftoverProcesses {
  /// The outcome of terminating them.
  struct Outcome {
    /// The number of processes that were found and have ended.
    var ended = 0
    /// Processes that could not be terminated.
    var remaining: [ProcessTable.Entry] = []
    /// Processes that cannot be attributed to the run with certainty.
    var undecided: [ProcessTable.Entry] = []

    /// Whether the scan was incomplete for lack of resources, so that there may be more of them.
    var couldNotLook = false

    /// The processes that could not be terminated, for a sentence; nil if there are none.
    var remainingText: String? { remaining.isEmpty ? nil : LeftoverProcesses.text(of: remaining) }
  }

  /// How long they may take to end by themselves, and then to end once killed.
  private static let grace = Duration.seconds(2)
  /// The end of a process that is not a child is not reported, so it is polled.
  private static let pause = Duration.milliseconds(20)
  /// How often a process that is just executing another program is checked.
  private static let looks = 4

  /// Terminates all processes that belong to a run. Each time some were found, `areLeft` is called before they are terminated to check that they were
  /// left behind.
  static func end(
    _ traces: RunTraces, delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation,
    if areLeft: () -> Bool = { true }
  ) async -> Outcome {
    var (outcome, isComplete) = await LookFailures.observe(isolation: isolation) {
      await endWhatIsSeen(traces, delayer: delayer, if: areLeft)
    }
    outcome.couldNotLook = !isComplete
    return outcome
  }

  private static func endWhatIsSeen(
    _ traces: RunTraces, delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation, if areLeft: () -> Bool
  ) async -> Outcome {
    let first = await settledSearch(traces, delayer: delayer)
    var outcome = Outcome(undecided: await BlockingWork.run { undecided(first, traces) })
    guard !first.found.isEmpty, areLeft() else { return outcome }
    var found = first.found
    defer { for process in found { waitpid(process.pid, nil, WNOHANG) } }
    signal(found, SIGTERM)
    // A stopped process would never handle SIGTERM.
    signal(found, SIGCONT)
    var waited = Duration.zero
    while waited < grace {
      try? await delayer.delay(for: pause)
      waited += pause
      guard !found.contains(where: \.isRunning) else { continue }
      let rest = await searchAside(traces, from: found)
      found.formUnion(rest.found)
      if rest.found.isEmpty, !rest.isUnsettled { break }
    }
    // A process started by one just before that one is killed outlives it. Other runs that it had started, and that have not ended by now, are included.
    waited = .zero
    while waited < grace {
      found.formUnion(await settledSearch(traces, from: found, includesOtherRuns: true, delayer: delayer).found)
      let running = found.filter(\.isRunning)
      guard !running.isEmpty else { break }
      // What is running now may belong to another host, which has resumed the run.
      guard areLeft() else { return outcome }
      signal(running, SIGKILL)
      try? await delayer.delay(for: pause)
      waited += pause
    }
    outcome.remaining = found.filter(\.isRunning).sorted { $0.pid < $1.pid }
    outcome.ended = first.found.subtracting(outcome.remaining).count
    outcome.undecided.removeAll { !$0.isRunning }
    return outcome
  }

  /// Returns the processes of a run, and those that are undecided. Terminates nothing.
  static func look(_ traces: RunTraces) -> (found: [ProcessTable.Entry], undecided: [ProcessTable.Entry]) {
    var result = search(traces)
    for _ in 1..<looks where result.isUnsettled && result.found.isEmpty {
      usleep(UInt32(pause / .microseconds(1)))
      result = search(traces)
    }
    return (result.found.sorted { $0.pid < $1.pid }, undecided(result, traces))
  }

  /// Returns the processes for a sentence, with their users if these differ from the current one.
  package static func text(of processes: [ProcessTable.Entry]) -> String {
    let shown = processes.prefix(10).map { process in
      let user = ProcessTable.user(of: process.pid).flatMap { $0 == geteuid() ? nil : " of user \($0)" }
      return "process \(process.pid)\(user ?? "")"
    }
    return shown.joined(separator: ", ") + (processes.count > 10 ? ", …" : "")
  }

  private static func signal(_ processes: Set<ProcessTable.Entry>, _ number: Int32) {
    for process in processes where process.isRunning { kill(process.pid, number) }
  }

  // MARK: Finding

  private struct Found {
    var found: Set<ProcessTable.Entry> = []
    var undecided: [ProcessTable.Entry] = []
    /// Whether another process may turn out to be the run's in a moment: it is just executing another program, and shows no environment.
    var isUnsettled = false
  }

  /// Searches until something is found, or nothing is unsettled.
  private static func settledSearch(
    _ traces: RunTraces, from known: Set<ProcessTable.Entry> = [], includesOtherRuns: Bool = false,
    delayer: LoopDelayer, isolation: isolated (any Actor)? = #isolation
  ) async -> Found {
    var look = 1
    while true {
      let result = await searchAside(traces, from: known, includesOtherRuns: includesOtherRuns)
      guard result.found.isEmpty, result.isUnsettled, look < looks else { return result }
      try? await delayer.delay(for: pause)
      look += 1
    }
  }

  /// Performs ``search(_:from:includesOtherRuns:)`` off the event loop: a scan takes a while on a computer with hundreds of processes.
  private static func searchAside(
    _ traces: RunTraces, from known: Set<ProcessTable.Entry>, includesOtherRuns: Bool = false,
    isolation: isolated (any Actor)? = #isolation
  ) async -> Found {
    await BlockingWork.run { search(traces, from: known, includesOtherRuns: includesOtherRuns) }
  }

  /// Searches once. `known` are processes that were found before.
  private static func search(
    _ traces: RunTraces, from known: Set<ProcessTable.Entry> = [], includesOtherRuns: Bool = false
  ) -> Found {
    let table = ProcessTable.entries().filter { $0.pid != getpid() }
    var result = Found()
    for process in table {
      if known.contains(process) || traces.sessions.contains(process.session) {
        result.found.insert(process)
        continue
      }
      switch ProcessTable.mark(traces.mark, of: process.pid) {
      case .present: result.found.insert(process)
      case .undecided: result.isUnsettled = true
      case .absent, .gone: break
      }
      if let logs = traces.logs, ProcessTable.writes(into: logs, process.pid) { result.found.insert(process) }
    }
    addSessions(traces, table, to: &result)
    addDescendants(table, includesOtherRuns: includesOtherRuns, to: &result)
    result.undecided.removeAll(where: result.found.contains)
    return result
  }

  /// Adds the members of the sessions that recorded processes lead or led.
  ///
  /// As long as a session has a process, no other process gets the session's number. If the leader has ended, one member that is known to be the
  /// run's therefore identifies all of them; without such a member it cannot be decided, because the number may have been reused.
  private static func addSessions(
    _ traces: RunTraces, _ table: [ProcessTable.Entry], to result: inout Found
  ) {
    guard !traces.recorded.isEmpty else { return }
    let members = Dictionary(grouping: table, by: \.session)
    for process in traces.recorded {
      guard let members = members[process.pid] else { continue }
      if let leaderStarted = ProcessTable.started(of: process.pid) {
        if process.started?.contains(leaderStarted) == true { result.found.formUnion(members) }
      } else if members.contains(where: result.found.contains) {
        result.found.formUnion(members)
      } else if let started = process.started, members.allSatisfy({ $0.started >= started.lowerBound }) {
        result.undecided += members.filter { !ProcessTable.namesRun($0.pid) }.sorted { $0.pid < $1.pid }
      }
    }
  }

  /// Returns the undecided processes: those in the sessions of recorded processes, and others started since the run began, the latest first.
  private static func undecided(_ result: Found, _ traces: RunTraces) -> [ProcessTable.Entry] {
    guard let begin = traces.begin else { return result.undecided }
    let known = result.found.union(result.undecided)
    let hidden = ProcessTable.hidden(since: begin).filter { !known.contains($0) }
    return result.undecided + hidden.sorted { ($1.started, $1.pid) < ($0.started, $0.pid) }
  }

  /// Adds what the found processes have started. Processes of another run are left to the host of that run, which is one of the found processes and
  /// is requested to end.
  private static func addDescendants(
    _ table: [ProcessTable.Entry], includesOtherRuns: Bool, to result: inout Found
  ) {
    let children = Dictionary(grouping: table, by: \.parent)
    var open = Array(result.found)
    while let process = open.popLast() {
      for child in children[process.pid] ?? []
      where !result.found.contains(child) && (includesOtherRuns || !ProcessTable.namesRun(child.pid)) {
        result.found.insert(child)
        open.append(child)
      }
    }
  }
}

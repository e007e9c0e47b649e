import PipelineLanguage
import RunHistory
import Values

/// The current state of a pipeline, and what blocks it or its runs, with the command that changes that.
struct PipelineStanding {
  let pipeline: PublishedPipeline
  /// Its latest runs, most recent first.
  let runs: [RunRecord]
  /// Its active runs, oldest first.
  let running: [RunRecord]
  /// The operations that block these runs.
  let heldUp: [HeldUpOperation]
  /// The active runs that wait for a slot of their host.
  let slotless: SlotlessRuns
  /// How many of its runs are queued.
  let queued: Int
  /// What the first of them waits for, in the words of `penstock queue`; nil if that is unknown.
  let queueReason: () throws -> String?
  let pause: Pause?
  /// Problems of its controllers.
  let controllerProblems: [PublishedControllerProblem]
  /// The state of the host; nil if none has ever served the workspace.
  let host: HostRecord.State?
  /// Why that host is at a standstill; nil if it is not.
  let hostStandstill: HostStandstill?
  let history: History
  let now: RecordTime

  /// The maximum number of runs or operations that are named.
  private static let named = 3

  /// `idle`, `queued`, `running`, `paused` or `invalid`.
  var state: String {
    if !pipeline.isLoaded { return "invalid" }
    if !running.isEmpty { return "running" }
    if pause != nil { return "paused" }
    if queued > 0 { return "queued" }
    return pipeline.problem == nil ? "idle" : "invalid"
  }

  /// Why it is in that state, and what else is to be said of it, the most important first: what is wrong with its file, its controllers and its runs, and its pause. Nil if nothing is.
  func reason() throws -> String? {
    let others = try controllerProblems.map(\.words) + [standstill(), doing(), pause?.words].compactMap(\.self)
    let told = [others.isEmpty ? pipeline.problem : problemBesideOthers].compactMap(\.self) + others
    return told.isEmpty ? nil : told.joined(separator: "; ")
  }

  /// What is wrong with its file, in one line.
  private var problemBesideOthers: String? {
    pipeline.problem.map { "invalid file: " + ($0.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? "") }
  }

  /// Reports that instants do not recur that had passed before the clock was set back; nil if it was not set back, or an instant comes up before the last
  /// of them.
  func standstill() throws -> String? {
    guard hostIsMissing == nil || hostStandstill != nil, pipeline.isLoaded, pipeline.nextCause != nil,
      let latest = try history.latestInstant(of: pipeline.name), latest > now.advanced(by: Self.noticeable),
      pipeline.nextAt.map({ $0 > latest }) ?? true
    else { return nil }
    return
      "nothing is due until \(ClockText.dateAndTime(latest)): the instants before that had passed when the clock was set back"
  }

  /// By how much the clock must have been set back, in microseconds: controllers may be up to a second early.
  private static let noticeable: Int64 = 2_000_000

  /// The state of its runs, and the outcome of the latest ones; nil if there is nothing to report.
  func doing() throws -> String? {
    let parts = try [running.isEmpty ? nil : goingOn(), ended(), queued > 0 ? waiting() : nil].compactMap(\.self)
    if parts.isEmpty { return state == "idle" ? hostIsMissing : nil }
    return parts.joined(separator: "; ")
  }

  /// The state of its queued runs.
  private func waiting() throws -> String {
    if let run = runs.first(where: { $0.preparation != nil }), let preparation = run.preparation {
      let others = queued - 1
      return "run \(try history.shortForm(of: run.id)) \(preparation.words)"
        + (others > 0 ? "; \(Count.of(others, "more run")) \(others == 1 ? "waits" : "wait")" : "")
    }
    let waiting = "\(Count.of(queued, "run")) \(queued == 1 ? "waits" : "wait")"
    if let hostIsMissing { return "\(waiting): \(hostIsMissing)" }
    // A pause is named by itself.
    guard pause == nil, let reason = try queueReason() else { return waiting }
    return reason == QueueReasons.begins || reason == QueueReasons.late
      ? waiting : "\(waiting) for \(TerminalText.oneLine(reason))"
  }

  /// That a run is interrupted, or that the latest one that has ended failed or was cancelled.
  private func ended() throws -> String? {
    if let run = try interrupted() {
      let short = try history.shortForm(of: run.id)
      let restart = try RunRestart(of: run, in: history)
      let left = restart.isLeft ? "run \(short) was left by its host, which drained" : "run \(short) is interrupted"
      return ([left, restart.next] + [restart.wantsResume ? "`penstock resume \(short)`" : nil]).compactMap(\.self)
        .joined(separator: "; ")
    }
    if let run = failed {
      let short = try history.shortForm(of: run.id)
      return "run \(short) failed\(try Self.place(of: run, in: history)); `penstock explain \(short)`"
    }
    return try cancelled.map { "run \(try history.shortForm(of: $0.id)) was \(Self.end(of: $0))" }
  }

  private var hostIsMissing: String? {
    switch host {
    case nil, .stopped?, .died?: "no host serves it"
    case .draining?: "the host is draining"
    case .starting?, .ready?: hostStandstill?.brief
    }
  }

  private func goingOn() throws -> String {
    let others = running.count - 1
    let rest = others > 0 ? "; \(Count.of(others, "more run")) \(others == 1 ? "is" : "are") active" : ""
    // List waits that need a person, or depend on others, before those that end by themselves.
    let slotWait = try slotWaits(1).first
    if let first = heldUp.first(where: { !$0.reason.passesByItself }) ?? (slotWait == nil ? heldUp.first : nil) {
      let short = try history.shortForm(of: first.run)
      let text = "run \(short): \(try words(for: first))"
      return text + (Self.command(for: first, short).map { "; `\($0)`" } ?? "") + rest
    }
    if let (run, wait) = slotWait {
      return "run \(try history.shortForm(of: run)): \(TerminalText.oneLine(wait.words))\(rest)"
    }
    let names = try running.prefix(Self.named).map { try history.shortForm(of: $0.id) }
    guard running.count > 1 else { return "run \(names.joined())" }
    return "\(running.count) runs: \(names.joined(separator: ", "))\(running.count > names.count ? ", …" : "")"
  }

  /// The first of its runs that wait for a slot of their host.
  private func slotWaits(_ most: Int) throws -> [(run: RunID, wait: SlotlessRuns.Wait)] {
    var waits: [(run: RunID, wait: SlotlessRuns.Wait)] = []
    for run in running where waits.count < most {
      if let wait = try slotless.wait(of: run.id) { waits.append((run.id, wait)) }
    }
    return waits
  }

  // MARK: Ended runs

  /// The runs since the latest success, most recent first.
  private var unsuccessful: ArraySlice<RunRecord> { runs.prefix { $0.state != .succeeded } }

  /// The latest interrupted run since the last success. If there is none, the latest interrupted run that the next host resumes.
  private func interrupted() throws -> RunRecord? {
    if let run = unsuccessful.first(where: { $0.state == .interrupted }) { return run }
    return try runs.first { try $0.state == .interrupted && RunRestart(of: $0, in: history).prospect != nil }
  }

  /// The latest ended run, if it failed.
  private var failed: RunRecord? {
    runs.first { $0.state.isFinal }.flatMap { $0.state == .failed ? $0 : nil }
  }

  /// The latest run, if it was cancelled, but not by a later run, which is reported itself.
  private var cancelled: RunRecord? {
    runs.first { $0.state.isFinal }.flatMap { $0.state == .cancelled && $0.canceller?.means != .overlap ? $0 : nil }
  }

  /// `cancelled by ada with 'penstock cancel'`, or `cancelled: it did not begin within `start_within``.
  private static func end(of run: RunRecord) -> String {
    if let canceller = run.canceller { return TerminalText.oneLine(canceller.words) }
    let reason = run.reason.flatMap { code in Occasion.Reason(rawValue: code)?.clause ?? run.tellingReason }
    return run.state.rawValue + (reason.map { ": \($0)" } ?? "")
  }

  /// Returns ` in 'deploy'`, or the run's reason if no operation failed.
  private static func place(of run: RunRecord, in history: History) throws -> String {
    let names = try history.failedOperations(of: run.id).map { "'\($0.title)'" }
    guard !names.isEmpty else { return run.tellingReason.map { " (\($0))" } ?? "" }
    return " in " + names.prefix(named).joined(separator: ", ") + (names.count > named ? ", …" : "")
  }

  // MARK: Sentences

  /// Returns sentences on its runs and on what the user can do.
  func sentences() throws -> [String] {
    var sentences: [String] = []
    if let standstill = try standstill() {
      sentences.append(standstill.asSentence)
    }
    if running.count > 1 {
      let names = try running.prefix(Self.named).map { try history.shortForm(of: $0.id) }
      let rest = running.count > names.count ? " and \(running.count - names.count) more" : ""
      sentences.append("\(running.count) runs are active: \(names.joined(separator: ", "))\(rest).")
    }
    for held in heldUp.prefix(RunExplanation.limit) {
      let short = try history.shortForm(of: held.run)
      var sentence = "Run \(short): \(try words(for: held))"
      if let command = Self.command(for: held, short) { sentence += "; `\(command)` answers it" }
      if held.record.state == .retrying {
        let whose = try history.shortForm(of: held.record.run)
        sentence += "; `penstock wake \(whose) \(ShellText.quoted(held.record.name))` tries it now"
      }
      sentences.append(sentence + ".")
    }
    for (run, wait) in try slotWaits(RunExplanation.limit) {
      sentences.append("Run \(try history.shortForm(of: run)): \(wait.words); \(wait.slot.remedy).")
    }
    if let run = try interrupted() {
      let short = try history.shortForm(of: run.id)
      let restart = try RunRestart(of: run, in: history)
      var sentence = "Run \(short) is interrupted: its host "
      sentence += restart.isLeft ? "drained and left it to the next one" : "ended before the run did"
      if let next = restart.next { sentence += "; \(next)" }
      if restart.wantsResume { sentence += "; `penstock resume \(short)` continues it" }
      sentences.append(sentence + ".")
    }
    if let run = failed {
      let short = try history.shortForm(of: run.id)
      let first = try history.failedOperations(of: run.id).first
      let logs = first.map { " and `penstock logs \(short) \(ShellText.quoted($0.name))`" } ?? ""
      sentences.append(
        "The latest finished run, \(short), failed\(try Self.place(of: run, in: history)); see `penstock explain \(short)`\(logs)."
      )
    }
    if let run = cancelled {
      let short = try history.shortForm(of: run.id)
      sentences.append("Its last run, \(short), was \(Self.end(of: run)); `penstock retry \(short)` runs it again.")
    }
    return sentences
  }

  // MARK: Operations that hold up a run

  private static func command(for held: HeldUpOperation, _ short: String) -> String? {
    guard case .approval = held.reason else { return nil }
    return "penstock approve \(short) \(ShellText.quoted(held.path))"
  }

  private func words(for held: HeldUpOperation) throws -> String {
    let text = "'\(held.path)' \(TerminalText.oneLine(StateReason.standstill(of: held.record)))"
    switch held.reason {
    case .resources(let names): return text + (try history.holding(ofResources: names))
    case .exclusive(let exclusive) where exclusive.holder == nil:
      return text + (try exclusive.name.flatMap { try history.holder(ofExclusive: $0) }.map { ", held by \($0)" } ?? "")
    default: return text
    }
  }
}

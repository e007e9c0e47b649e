import PipelineLanguage
import RunHistory
import Values

/// The current state of a pipeline, and what holds it or its runs up, with the command that changes that.
struct PipelineStanding {
  let pipeline: PublishedPipeline
  /// Its latest runs, most recent first.
  let runs: [RunRecord]
  /// Its active runs, oldest first.
  let running: [RunRecord]
  /// The operations that hold these runs up.
  let heldUp: [HeldUpOperation]
  /// The number of its queued runs.
  let queued: Int
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

  /// Returns why it is in that state, with any problem of its file, its runs and its pause. Nil if there is nothing to report.
  func reason() throws -> String? {
    let parts = try [problem] + controllerProblems.map(\.words) + [standstill(), doing(), pause?.words]
    let told = parts.compactMap(\.self)
    return told.isEmpty ? nil : told.joined(separator: "; ")
  }

  /// The problem of its file; complete if there is nothing else to report.
  private var problem: String? {
    guard let problem = pipeline.problem else { return nil }
    guard state != "invalid" || !running.isEmpty || pause != nil else { return problem }
    return "invalid file: " + (problem.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? "")
  }

  /// Reports that instants do not recur that had passed before the clock was set back; nil if it was not set back, or an instant comes up before the last
  /// of them.
  func standstill() throws -> String? {
    guard hostIsMissing == nil || hostStandstill != nil, pipeline.isLoaded, pipeline.nextCause != nil,
      let latest = try history.latestInstant(of: pipeline.name), latest > now.advanced(by: Self.noticeable),
      pipeline.nextAt.map({ $0 > latest }) ?? true
    else { return nil }
    return "until \(ClockText.dateAndTime(latest)), all instants had their turn before the clock was set back"
  }

  /// By how much the clock must have been set back, in microseconds: controllers may be up to a second early.
  private static let noticeable: Int64 = 2_000_000

  /// Returns what its runs are doing; nil if there is nothing to report.
  func doing() throws -> String? {
    if !running.isEmpty { return try goingOn() }
    switch state {
    case "queued":
      if let run = runs.first(where: { $0.preparation != nil }), let preparation = run.preparation {
        let others = queued - 1
        return "run \(try history.shortForm(of: run.id)) \(preparation.words)"
          + (others > 0 ? "; \(Count.of(others, "more run")) \(others == 1 ? "waits" : "wait")" : "")
      }
      return "\(queued) \(queued == 1 ? "run waits" : "runs wait")" + (hostIsMissing.map { ": \($0)" } ?? "")
    case "idle":
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
      return hostIsMissing
    default: return nil
    }
  }

  private var hostIsMissing: String? {
    switch host {
    case nil, .stopped?, .died?: "no host serves it"
    case .draining?: "the host is draining"
    case .starting?, .ready?: hostStandstill?.brief
    }
  }

  private func goingOn() throws -> String {
    guard let first = heldUp.first else {
      let names = try running.prefix(Self.named).map { try history.shortForm(of: $0.id) }
      guard running.count > 1 else { return "run \(names.joined())" }
      return "\(running.count) runs: \(names.joined(separator: ", "))\(running.count > names.count ? ", …" : "")"
    }
    let short = try history.shortForm(of: first.run)
    var text = "run \(short): \(try words(for: first))"
    if let command = Self.command(for: first, short) { text += "; `\(command)`" }
    let others = running.count - 1
    if others > 0 { text += "; \(Count.of(others, "more run")) \(others == 1 ? "goes" : "go") on" }
    return text
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

  /// Returns the operations that made a run fail.
  private static func failures(of run: RunRecord, in history: History) throws -> [OperationRecord] {
    try history.operations(of: run.id).filter { $0.parent == nil && $0.state == .failed }
  }

  /// Returns ` in 'deploy'`, or the run's reason if no operation failed.
  private static func place(of run: RunRecord, in history: History) throws -> String {
    let names = try failures(of: run, in: history).map { "'\($0.title)'" }
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
      sentences.append("\(running.count) runs go on: \(names.joined(separator: ", "))\(rest).")
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
    if let run = try interrupted() {
      let short = try history.shortForm(of: run.id)
      let restart = try RunRestart(of: run, in: history)
      var sentence = "Run \(short) is interrupted: its host "
      sentence += restart.isLeft ? "drained, and left it to the next one" : "ended before it did"
      if let next = restart.next { sentence += "; \(next)" }
      if restart.wantsResume { sentence += "; `penstock resume \(short)` continues it" }
      sentences.append(sentence + ".")
    }
    if let run = failed {
      let short = try history.shortForm(of: run.id)
      let first = try Self.failures(of: run, in: history).first
      let logs = first.map { " and `penstock logs \(short) \(ShellText.quoted($0.name))`" } ?? ""
      sentences.append(
        "The latest run that has ended, \(short), failed\(try Self.place(of: run, in: history)); `penstock explain \(short)`\(logs) \(first == nil ? "says" : "say") more."
      )
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
    case .resources(let names): return text + (try holders(of: names))
    case .exclusive(let exclusive) where exclusive.holder == nil:
      return text + (try exclusive.name.flatMap { try history.holder(ofExclusive: $0) }.map { ", held by \($0)" } ?? "")
    default: return text
    }
  }

  private func holders(of resources: [String]) throws -> String {
    let holders = try history.holders(ofResources: resources)
    guard !holders.isEmpty else { return "" }
    let shown = try holders.prefix(Self.named).map { "'\($0.operation)' of run \(try history.shortForm(of: $0.run))" }
    return ", held by " + shown.joined(separator: ", ")
      + (holders.count > shown.count ? " and \(holders.count - shown.count) more" : "")
  }
}

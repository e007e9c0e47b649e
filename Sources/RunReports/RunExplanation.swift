import Expressions
import PipelineLanguage
import RunHistory
import Values

/// An explanation of why a run, or one of its operations, is in its state, and what would change that. It is based on the records and the
/// definition stored with them.
package struct RunExplanation: Sendable {
  /// The explanation of the run as a whole, or of one operation.
  package struct Entry: Sendable {
    /// The operation; nil for the run.
    package var operation: String?
    /// The label of an item.
    package var label: String?
    package var state: String
    /// The state in the words shown to users.
    package var word: String
    /// The reasons, each a sentence without a full stop.
    package var because: [String]
    /// What would change it: each a sentence, or a command to type.
    package var remedies: [String]
    /// The latest attempt of a failed operation, whose output has details.
    package var attempt: AttemptRecord?
  }

  package var run: RunRecord { recorded.run }
  package var entries: [Entry] = []

  let recorded: RecordedRun
  let pipeline: PipelineDefinition?
  let now: RecordTime
  let nestedRuns: NestedRuns
  private let records: [String: OperationRecord]
  private let shortID: String
  let holders: @Sendable ([String]) -> [ResourceHolds.Holder]
  let short: @Sendable (RunID) -> String
  private let holderOfName: @Sendable (String) -> String?
  private let place: QueueReport.Place?
  private let restart: RunRestart?
  private let busyHost: @Sendable () -> BusyHost?
  private let mutualWait: @Sendable () -> String?
  private let processors: Int?

  /// Explains a run and each operation that did not simply succeed; or only `operation`, in more detail.
  ///
  /// - Parameters:
  ///   - recorded: The run.
  ///   - pipeline: Its definition; nil, if it can no longer be read, limits the reasons to those of the records.
  ///   - operation: The only operation to explain; nil for the run and its operations.
  ///   - shortID: The id of the run in commands.
  ///   - now: The present.
  ///   - place: The place of a queued run in the queue of a host.
  ///   - restart: What happens to an interrupted run.
  ///   - standstill: Why the host of the run is at a standstill.
  ///   - busyHost: Returns the host of the run if it has no capacity left.
  ///   - processors: The number of processors of that host, if known.
  ///   - mutualWait: Describes a cycle in which operations of the run wait for each other.
  ///   - nestedRuns: Returns the runs that operations have started.
  ///   - holders: Returns the holders of the named resources.
  ///   - short: Returns the short id of another run.
  ///   - holderOfName: Returns the holder of an exclusive name.
  package init(
    of recorded: RecordedRun, pipeline: PipelineDefinition?, operation: String?, shortID: String,
    now: RecordTime = .now, place: QueueReport.Place? = nil, restart: RunRestart? = nil,
    standstill: HostStandstill? = nil,
    busyHost: @escaping @Sendable () -> BusyHost? = { nil }, processors: Int? = nil,
    mutualWait: @escaping @Sendable () -> String? = { nil },
    nestedRuns: @escaping NestedRuns = { _, _ in nil },
    holders: @escaping @Sendable ([String]) -> [ResourceHolds.Holder] = { _ in [] },
    short: @escaping @Sendable (RunID) -> String = \.short,
    holderOfName: @escaping @Sendable (String) -> String? = { _ in nil }
  ) {
    self.holderOfName = holderOfName
    self.holders = holders
    self.short = short
    self.place = place
    self.processors = processors
    self.restart = restart
    self.busyHost = busyHost
    self.mutualWait = mutualWait
    self.nestedRuns = nestedRuns
    self.recorded = recorded
    self.pipeline = pipeline
    self.now = now
    self.shortID = shortID
    records = Dictionary(recorded.operations.map { ($0.name, $0) }) { $1 }
    if let operation {
      entries = [explain(operation, inDetail: true)]
      // A standstill does not affect an operation that has ended.
      if records[operation]?.state.isFinal != true { entries[0].because += standstill.map { [$0.words] } ?? [] }
      return
    }
    entries = [runEntry()]
    entries[0].because += standstill.map { [$0.words] } ?? []
    let names = pipeline?.operations.map(\.name) ?? recorded.operations.filter { $0.parent == nil }.map(\.name)
    let listed = Set(names)
    for name in names + recorded.operations.filter({ $0.parent == nil }).map(\.name).filter({ !listed.contains($0) }) {
      let state = records[name]?.state ?? .pending
      guard state != .succeeded, state != .reused else { continue }
      var entry = explain(name, inDetail: false)
      // A remedy of the whole run is listed only once, with the run.
      entry.remedies.removeAll { entries[0].remedies.contains($0) }
      entries.append(entry)
    }
  }

  private func runEntry() -> Entry {
    var because: [String] = []
    var remedies: [String] = []
    // The reason of a run that its draining host has left would say that the host died.
    if let reason = run.tellingReason, !isLeft { because.append(reason) }
    if let canceller = run.canceller {
      because.append(run.state == .cancelled ? canceller.wordsBehindState : canceller.words)
    }
    switch run.state {
    case .queued where run.preparation != nil:
      because += run.preparation.map { [$0.outlook] } ?? []
      because.append(sinceLine(place?.place.askedAt ?? run.createdAt))
    case .queued where place != nil:
      guard let place else { break }
      because.append("it is queued, with \(place.before) before it; it waits for \(place.reason)")
      because.append(sinceLine(place.place.askedAt))
    case .queued:
      because.append("it has not begun; its pipeline allows only one active run")
      if let turn = recorded.turn {
        because.append(
          "\(turn.holder) has the turn (process \(turn.owner.pid)), since "
            + "\(ClockText.dateAndTime(RecordTime(microseconds: turn.acquiredAt)))")
        remedies.append("it begins when that run ends")
      }
    case .running:
      because.append("it has been running for \(ClockText.length(since: run.startedAt ?? run.createdAt, now: now))")
      if let words = mutualWait() {
        because.append(words)
        remedies.append(
          "cancel one of these runs, for example with `penstock cancel \(shortID)`, to let the others continue")
      }
    case .interrupted:
      let cause = isLeft ? "drained and left it to the next one" : "ended before the run did"
      because.append("its host (process \(run.owner.pid) on \(run.host)) \(cause)")
      if let next = restart?.next { because.append(next) }
      remedies += resumeRemedies
    case .failed, .cancelled:
      remedies.append("penstock retry \(shortID)")
    case .succeeded: break
    }
    return Entry(
      operation: nil, state: run.state.rawValue, word: run.state.rawValue, because: because, remedies: remedies)
  }

  private func explain(_ name: String, inDetail: Bool) -> Entry {
    guard let record = records[name] else {
      if run.state.isFinal, !isInterrupted {
        return Entry(
          operation: name, state: OperationState.cancelled.rawValue, word: OperationState.cancelled.rawValue,
          because: ["the run ended before it could begin"], remedies: ["penstock retry \(shortID)"])
      }
      let because = pendingReasons(name)
      return Entry(
        operation: name, state: OperationState.pending.rawValue, word: OperationState.pending.rawValue,
        because: because, remedies: pendingRemedies(because))
    }
    var entry = Entry(
      operation: name, label: record.label, state: record.state.rawValue, word: StateReason.word(of: record),
      because: [], remedies: [])
    let text = StateReason.text(of: record, now: now)
    switch record.state {
    case .pending:
      entry.because = pendingReasons(name)
      entry.remedies = pendingRemedies(entry.because)
    case .running:
      entry.because = [
        "attempt \(record.attempts) has been running for \(recorded.lengthOfAttempt(of: record, now: now))"
      ]
      if let wait = StateReason.executor(of: record) {
        entry.because = wait.sentences(now: now, attempt: entry.because)
      } else if !text.isEmpty {
        entry.because.append("it \(text)")
        entry.remedies = ["it is retried every second and continues by itself"]
      }
      entry.remedies += wakeRemedies(
        recorded.operations.filter { $0.parent == record.ordinal && $0.state == .retrying }, of: run, shortID)
    case .waiting:
      entry.because = ["it waits \(text)\(holding(of: record))"]
      if let since = record.waitingSince {
        entry.because.append(sinceLine(since))
      }
      entry.remedies = waitingRemedies(record)
    case .retrying:
      let early = StateReason.early(of: record)
      entry.because = [text]
      for case .specification(let formula, let value, let why) in early {
        entry.because.append("\(formula) is \(value): \(why)")
      }
      let turns = StateReason.turns(early)
      entry.remedies =
        ["it is retried automatically" + (turns.isEmpty ? "" : ", and at once when \(turns)")]
        + wakeRemedies([record], of: run, shortID)
    case .failed:
      entry.because = [text + (record.attempts > 1 ? ", after \(record.attempts) attempts" : "")]
      if let why = record.operationReason?.notRetried {
        entry.because.append("it was not retried: \(why.text)")
      }
      if run.state.isFinal { entry.remedies = failureRemedies(record) }
      entry.attempt = recorded.attempts.last { $0.ordinal == record.ordinal }
    case .cancelled:
      entry.because = [text] + (inDetail ? cancellationLines(of: record) : []) + chain(from: record)
      if run.state.isFinal { entry.remedies = ["penstock retry \(shortID)"] }
    case .skipped:
      entry.because = [text] + chain(from: record)
    case .succeeded, .reused:
      entry.because = text.isEmpty ? [] : ["its result was reused \(text)"]
    }
    let nested = nestedLines(of: record)
    entry.because += nested.because
    entry.remedies = nested.remedies + entry.remedies
    if let gate = gateLine(of: record) { entry.because.append(gate) }
    if inDetail, let cause = record.causeOfRetry { entry.because.append("it ran again: \(cause)") }
    if inDetail { entry.because += attemptLines(of: record) + conditionLines(of: name) }
    if isInterrupted, !record.state.isFinal {
      let question = questionLines(of: record)
      entry.because += question.because
      entry.remedies = question.remedies + resumeRemedies
    }
    return entry
  }

  /// Returns who cancelled the run and thereby the operation.
  private func cancellationLines(of record: OperationRecord) -> [String] {
    switch record.operationReason {
    case .runCancelled?, .runTimeout?: run.canceller.map { ["the run was \($0.words)"] } ?? []
    default: []
    }
  }

  /// Returns the question of an operation of an interrupted run, which can be answered without its host.
  private func questionLines(of record: OperationRecord) -> (because: [String], remedies: [String]) {
    guard let question = recorded.approvals.last(where: { $0.ordinal == record.ordinal }), !question.isOver else {
      return ([], [])
    }
    guard let answer = question.answer else {
      let asked = record.state == .waiting ? [] : ["it had asked for approval: \(question.message)"]
      return (asked + ["it can be answered now; the run then continues"], approvalRemedies(record))
    }
    let answered =
      "\(answer.isApproved ? "approved" : "rejected") by \(answer.who) \(ClockText.ago(answer.at, now: now))"
    return (["it had asked for approval, and was \(answered); the run continues with the answer"], [])
  }

  private func approvalRemedies(_ record: OperationRecord) -> [String] {
    let command = "penstock approve \(shortID) \(ShellText.quoted(record.name))"
    return [command, "\(command) --reject --note WHY"]
  }

  /// Returns what the operation waited for before it began, and what opened the gate.
  private func gateLine(of record: OperationRecord) -> String? {
    guard let gate = record.openedGate else { return nil }
    let length = gate.since.map { DurationText.format(from: $0, to: gate.openedAt ?? now) }
    return "it waited\(length.map { " \($0)" } ?? "") for \(gate.formula), which opened because "
      + (gate.openedBy ?? "it became true")
  }

  private func sinceLine(_ since: RecordTime) -> String {
    "since \(ClockText.dateAndTime(since)) (\(ClockText.ago(since, now: now)))"
  }

  private var isInterrupted: Bool { run.state == .interrupted }

  /// Whether the host of the run was draining when it left the run.
  private var isLeft: Bool { isInterrupted && restart?.isLeft ?? false }

  private func pendingReasons(_ name: String) -> [String] {
    let definition = pipeline?.operations.first { $0.name == name }
    var reasons: [String] = []
    for index in definition?.dependencies ?? [] {
      guard let dependency = pipeline?.operations[index].name else { continue }
      let record = records[dependency]
      let state = record?.state ?? .pending
      guard !state.isFinal else { continue }
      var text = "it needs '\(dependency)', which is \(state.rawValue)"
      if let record, let since = record.waitingSince ?? record.startedAt {
        text += " for \(ClockText.length(since: since, now: now))"
      }
      let why = record.map { StateReason.text(of: $0, now: now) } ?? ""
      reasons.append(why.isEmpty ? text : "\(text): \(why)")
    }
    if isInterrupted {
      let attempts = records[name]?.attempts ?? 0
      let hasBegun = attempts > 0 || records[name]?.startedAt != nil
      let verb = isLeft ? "drained" : "ended"
      let which = attempts > 0 ? " in attempt \(attempts), or before the next one" : ""
      reasons.append(
        hasBegun
          ? "the host of the run \(verb) before it was done\(which)"
          : "the host of the run \(verb) before it could begin")
      // Its record was reset to pending, but kept what it waited for.
      if let record = records[name], !StateReason.specification(of: record).isEmpty {
        reasons.append("it had waited \(StateReason.specification(of: record))")
        if let since = record.operationReason?.specification?.since { reasons.append(sinceLine(since)) }
      }
    } else if run.state == .queued {
      reasons.append("the run has not begun")
    } else if reasons.isEmpty, run.state == .running {
      reasons.append(
        definition == nil
          ? "nothing is recorded of it yet" : slot?.reason ?? "it is about to begin, or waits for a free slot")
    }
    return reasons
  }

  /// What an operation that is ready waits for, and what would let it begin; nil if unknown.
  private var slot: (reason: String, remedy: String)? {
    SlotWait(
      among: recorded.operations, concurrency: pipeline?.concurrency, processors: processors, busyHost: busyHost
    ).map { ("it waits for \($0.awaited)", $0.remedy) }
  }

  private func pendingRemedies(_ reasons: [String]) -> [String] {
    if isInterrupted { return resumeRemedies }
    guard run.state == .running, let slot, reasons == [slot.reason] else { return [] }
    return [slot.remedy]
  }

  /// Empty if the next host resumes the run.
  private var resumeRemedies: [String] { restart?.wantsResume ?? true ? ["penstock resume \(shortID)"] : [] }

  private func failureRemedies(_ record: OperationRecord) -> [String] {
    var remedies: [String] = []
    let action = pipeline?.operations.first { $0.name == record.name }?.action
    if action?.isWork ?? (record.error?.code != "rejected") {
      // For a loop, the logs of the failed items are the relevant ones.
      let isLoop = recorded.operations.contains { $0.parent == record.ordinal && $0.state == .failed }
      remedies.append("penstock logs \(shortID) \(ShellText.quoted(record.name))\(isLoop ? " --failed" : "")")
    }
    // A run that succeeded despite this failure needs no retry.
    if run.state != .succeeded { remedies.append("penstock retry \(shortID)") }
    return remedies
  }

  private func waitingRemedies(_ record: OperationRecord) -> [String] {
    switch record.operationReason {
    case .approval?: approvalRemedies(record)
    case .place?: ["it continues when another run ends or waits; `limits.runs` of the host allows more at once"]
    case .concurrency?: ["it begins when another operation ends; `concurrency` allows more at once"]
    case .resources(let names)?: [resourceRemedy(names)]
    case .exclusive(let exclusive)?:
      ["it begins when \(exclusive.holder ?? exclusive.name.flatMap(holderOfName) ?? "the holder") releases it"]
    case .specification(let specification)?: ["it continues when \(specification.formula) is true"]
    case .gate(let specification)?: ["it begins when \(specification.formula) is true"]
    case .time(let time)?: time.due.map { ["it continues at \(ClockText.dateAndTime($0))"] } ?? []
    default: []
    }
  }

  /// Returns the commands that start waiting retries now, if the run has a host to notify.
  func wakeRemedies(_ records: [OperationRecord], of run: RunRecord, _ shortID: String) -> [String] {
    guard run.state == .running else { return [] }
    return records.prefix(Self.limit).map { "penstock wake \(shortID) \(ShellText.quoted($0.name))" }
  }

  /// What made the dependencies end as they did, down to the first cause.
  private func chain(from record: OperationRecord) -> [String] {
    var lines: [String] = []
    var seen: Set<String> = [record.name]
    var open = (record.operationReason?.culprits ?? [])[...]
    while let name = open.popFirst(), lines.count < 20 {
      guard seen.insert(name).inserted, let culprit = records[name] else { continue }
      let causes = culprit.operationReason?.culprits ?? []
      // The culprits of this one follow with their own text.
      let text = causes.isEmpty ? StateReason.text(of: culprit, now: nil) : ""
      let word = StateReason.word(of: culprit)
      let joint = culprit.state == .cancelled ? StateReason.joint(before: text) : ": "
      let passive = [OperationState.cancelled, .skipped].contains(culprit.state) ? "was \(word)" : word
      lines.append("'\(name)' \(passive)" + (text.isEmpty ? "" : joint + text))
      open += causes
    }
    // The reason of the explained operation may already say the same.
    let said = StateReason.text(of: record, now: nil)
    return lines.filter { $0 != said }
  }

  private func attemptLines(of record: OperationRecord) -> [String] {
    recorded.attempts.filter { $0.ordinal == record.ordinal }.map { attempt in
      var line = "attempt \(attempt.number) \(attempt.state.rawValue)"
      if let ended = attempt.endedAt { line += " after \(DurationText.format(from: attempt.startedAt, to: ended))" }
      let text = StateReason.text(of: attempt)
      return text.isEmpty ? line : "\(line): \(text)"
    }
  }
}

import PipelineLanguage
import RunHistory
import Values

/// The state of the host of a workspace and of each pipeline that it serves.
package struct StatusReport: Sendable {
  /// A pipeline.
  package struct Entry: Sendable {
    package var pipeline: PublishedPipeline
    package var state: String
    /// Why it is in that state, or does not run; nil if there is nothing to report.
    package var reason: String?
    /// The part of the reason that concerns its runs; nil if there is none.
    package var doing: String?
    /// Its latest runs, most recent first.
    package var runs: [RunRecord]
    /// The number of its queued runs.
    package var queued: Int
    package var pause: Pause?
    /// What must happen before it starts next.
    package var next: PipelineNext
    /// Problems of its controllers.
    package var controllerProblems: [PublishedControllerProblem]
    /// Its conditions, as its host has published them.
    package var conditions: [PublishedSpecification]
    /// Sentences on its runs, if requested.
    package var sentences: [String]
  }

  /// The host that serves the workspace, or served it last; nil if none ever has.
  package let host: HostRecord?
  package let entries: [Entry]
  /// The number of active runs, and of queued ones.
  package let running: Int
  package let queued: Int
  /// The lack of space in the file system of the workspace, in the words of `doctor`; nil if there is enough.
  private let diskProblem: String?
  /// Why the host is at a standstill; nil if it is not, or if none serves the workspace.
  package let standstill: HostStandstill?
  private let disk: @Sendable (String) -> Checkup.Finding?

  /// How many of the latest runs of a pipeline are shown.
  package static let latestRuns = 10

  /// - Parameters:
  ///   - names: Only these pipelines; empty for all.
  ///   - history: The history.
  ///   - now: The present.
  ///   - isDetailed: Whether to include sentences. Default false.
  ///   - disk: Checks the free space for a directory. A host whose disk is full cannot record that.
  /// - Throws: `WorkspaceError`.
  package init(
    of names: Set<String>, in history: History, at now: RecordTime = .now, isDetailed: Bool = false,
    disk: @escaping @Sendable (String) -> Checkup.Finding? = Checkup.disk(of:)
  ) throws {
    self.disk = disk
    diskProblem = disk(history.workspace.directory)?.problem
    let host = try history.hosts(limit: 1).first
    self.host = host
    let standstill = host.flatMap(history.standstill)
    self.standstill = standstill
    let pauses = Dictionary(try history.pauses(at: now).map { ($0.pipeline, $0) }) { first, _ in first }
    let conditions = Dictionary(grouping: try history.publishedSpecifications(), by: \.pipeline)
    let isServed = host.map { $0.state != .stopped && $0.state != .died } ?? false
    // The problems published by a host that was killed no longer apply.
    let problems = Dictionary(
      grouping: isServed ? try history.publishedControllerProblems() : [], by: \.pipeline)
    let lengths = try history.queuedRuns()
    queued = lengths.values.reduce(0, +)
    let heldUp = Dictionary(grouping: try history.heldUpOperations(), by: \.run)
    let slotless = try SlotlessRuns(of: isServed ? host : nil, in: history)
    let going = Dictionary(
      grouping: try history.runs(RunFilter(states: [.running], order: .oldestFirst)).filter { $0.state == .running },
      by: \.pipeline)
    running = going.values.reduce(0) { $0 + $1.count }
    let reasons = FirstInQueue(history, disk)
    entries = try history.publishedPipelines().filter { names.isEmpty || names.contains($0.name) }.map { pipeline in
      let running = going[pipeline.name] ?? []
      let standing = PipelineStanding(
        pipeline: pipeline, runs: try history.runs(RunFilter(pipeline: pipeline.name, limit: Self.latestRuns)),
        running: running, heldUp: running.flatMap { heldUp[$0.id] ?? [] },
        slotless: slotless, queued: lengths[pipeline.name] ?? 0,
        queueReason: { try reasons.reason(of: pipeline.name) },
        pause: pauses[pipeline.name], controllerProblems: problems[pipeline.name] ?? [], host: host?.state,
        hostStandstill: standstill,
        history: history, now: now)
      return Entry(
        pipeline: pipeline, state: standing.state, reason: try standing.reason(),
        doing: try standing.doing(), runs: standing.runs,
        queued: standing.queued, pause: standing.pause,
        next: PipelineNext(
          of: pipeline, standing.pause, conditions[pipeline.name] ?? [], on: host?.state,
          isStandingStill: standstill != nil, at: now),
        controllerProblems: standing.controllerProblems, conditions: conditions[pipeline.name] ?? [],
        sentences: isDetailed ? try standing.sentences() : [])
    }
  }

  /// Returns whether something has changed without a notification: the host has died, was stopped or continued, cannot write or can again, a pause has
  /// ended, or the disk has become full or is no longer full.
  package func isOutdated(in history: History, at now: RecordTime = .now) throws -> Bool {
    // Only the presence of the problem is compared, because the free space changes all the time.
    guard (disk(history.workspace.directory)?.problem == nil) == (diskProblem == nil) else { return true }
    if entries.contains(where: { $0.pause?.until.map { $0 <= now } ?? false }) { return true }
    guard isServed else { return false }
    return try history.currentHost().map { history.standstill(of: $0) != standstill } ?? true
  }

  /// The problems of the workspace, and of the paths that the host serves, such as one that cannot be searched.
  package var problems: [String] {
    [diskProblem, standstill?.words].compactMap { $0 } + configurationProblems
  }

  private var configurationProblems: [String] {
    guard isServed, let text = host?.configuration, let configuration = try? JSONValue.parse(text) else { return [] }
    return (configuration["problems"]?.arrayValue ?? []).compactMap(\.stringValue)
  }

  /// Whether a host serves the workspace now.
  package var isServed: Bool { host.map { $0.state != .stopped && $0.state != .died } ?? false }
}

extension StatusReport.Entry {
  /// Returns the entry as JSON, with the names of the view `pipelines`.
  package func jsonValue() -> JSONValue {
    .object([
      "name": .string(pipeline.name), "path": .string(pipeline.path), "state": .string(state),
      "reason": JSONValue(reason), "problem": JSONValue(pipeline.problem),
      "controller_problems": .array(controllerProblems.map { $0.jsonValue() }), "next_at": JSONValue(next.time),
      "next_cause": JSONValue(next.time == nil ? nil : pipeline.nextCause), "causes": JSONValue(pipeline.causes),
      "queued": JSONValue(queued),
      "last_run": JSONValue(runs.first?.id.text), "last_state": JSONValue(runs.first?.state.rawValue),
      "paused_by": JSONValue(pause?.who), "paused_until": JSONValue(pause?.until),
      "queue": .string(pipeline.queue), "priority": JSONValue(pipeline.priority),
      "labels": .object(
        .init(uniqueKeysWithValues: pipeline.labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
    ])
  }
}

extension PublishedControllerProblem {
  /// A description: `controller 'cron' has been failing since 2026-11-27 14:03:11: plugin 'cron' crashed: SIGSEGV`.
  var words: String {
    let since = "\(isOver ? "ended at" : "has been failing since") \(ClockText.dateAndTime(since))"
    return "controller '\(controller)' \(since): \(TerminalText.oneLine(reason))"
  }

  fileprivate func jsonValue() -> JSONValue {
    .object([
      "controller": .string(controller), "reason": .string(reason), "since": JSONValue(since), "over": .bool(isOver),
    ])
  }
}

extension HostRecord {
  /// Returns the host as JSON, with the names of the view `hosts`.
  package func jsonValue() -> JSONValue {
    .object([
      "host": .string(host), "pid": JSONValue(Int(owner.pid)), "user": .string(user), "version": .string(version),
      "state": .string(state.rawValue), "started_at": JSONValue(startedAt), "ready_at": JSONValue(readyAt),
      "ended_at": JSONValue(endedAt), "configuration": JSONValue(recorded: configuration),
    ])
  }
}

extension StatusReport {
  /// Returns the report as JSON: the host, the number of its runs, the problems of the workspace and the host, and the given pipelines.
  package func jsonValue(of entries: [Entry]) -> JSONValue {
    .object([
      "host": host?.jsonValue() ?? .null, "running": JSONValue(running), "queued": JSONValue(queued),
      "problems": .array(problems.map { .string($0) }),
      "pipelines": .array(entries.map { $0.jsonValue() }),
    ])
  }
}

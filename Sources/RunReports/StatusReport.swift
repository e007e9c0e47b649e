import PipelineLanguage
import RunHistory
import Values

/// What the host of a workspace does, and each pipeline that it serves.
package struct StatusReport: Sendable {
  /// A pipeline.
  package struct Entry: Sendable {
    package var pipeline: PublishedPipeline
    package var state: String
    /// Why it is in that state, or does not run; nil where nothing is to be said.
    package var reason: String?
    /// The part of the reason that its runs are; nil where they are none.
    package var doing: String?
    /// Its latest runs, the latest first.
    package var runs: [RunRecord]
    /// How many of its runs are queued.
    package var queued: Int
    package var pause: Pause?
    /// What has to come before it starts the next time.
    package var next: PipelineNext
    /// What keeps its controllers from their work.
    package var controllerProblems: [PublishedControllerProblem]
    /// Its conditions, as its host has published them.
    package var conditions: [PublishedSpecification]
    /// What is to be said of its runs, each a sentence, where that was asked for.
    package var sentences: [String]
  }

  /// The host that serves the workspace, or served it last; nil where none ever has.
  package let host: HostRecord?
  package let entries: [Entry]
  /// How many runs go on, and how many are queued.
  package let running: Int
  package let queued: Int
  /// That the file system of the workspace has no room, in the words of `doctor`; nil where it has.
  private let diskProblem: String?
  /// What keeps the host from its work; nil where nothing does, and where none serves the workspace.
  package let standstill: HostStandstill?
  private let disk: @Sendable (String) -> Checkup.Finding?

  /// How many of the latest runs of a pipeline are shown.
  package static let latestRuns = 10

  /// - Parameters:
  ///   - names: Only these pipelines; empty for all.
  ///   - history: The history.
  ///   - now: The present.
  ///   - isDetailed: Whether sentences are wanted. Default false.
  ///   - disk: Finds how much room there is for a directory. A host whose disk is full cannot write that it is.
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
    // Those of a host that was killed are nobody's.
    let problems = Dictionary(
      grouping: isServed ? try history.publishedControllerProblems() : [], by: \.pipeline)
    let lengths = try history.queuedRuns()
    queued = lengths.values.reduce(0, +)
    let heldUp = Dictionary(grouping: try history.heldUpOperations(), by: \.run)
    let going = Dictionary(
      grouping: try history.runs(RunFilter(states: [.running], order: .oldestFirst)).filter { $0.state == .running },
      by: \.pipeline)
    running = going.values.reduce(0) { $0 + $1.count }
    entries = try history.publishedPipelines().filter { names.isEmpty || names.contains($0.name) }.map { pipeline in
      let running = going[pipeline.name] ?? []
      let standing = PipelineStanding(
        pipeline: pipeline, runs: try history.runs(RunFilter(pipeline: pipeline.name, limit: Self.latestRuns)),
        running: running, heldUp: running.flatMap { heldUp[$0.id] ?? [] }, queued: lengths[pipeline.name] ?? 0,
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

  /// Whether something is different by now of which nobody tells: the host has died, is stopped or continued, cannot write or can again, a pause is over, or the disk is full or is no longer.
  package func isOutdated(in history: History, at now: RecordTime = .now) throws -> Bool {
    // How little room there is changes all the time.
    guard (disk(history.workspace.directory)?.problem == nil) == (diskProblem == nil) else { return true }
    if entries.contains(where: { $0.pause?.until.map { $0 <= now } ?? false }) { return true }
    guard isServed else { return false }
    return try history.currentHost().map { history.standstill(of: $0) != standstill } ?? true
  }

  /// What is wrong with the workspace, and with the paths that the host serves, as one that cannot be searched.
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
  /// The entry with the names of the view `pipelines`.
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
  /// In words: `controller 'cron' has been failing since 2026-11-27 14:03:11: plugin 'cron' crashed: SIGSEGV`.
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
  /// The host with the names of the view `hosts`.
  package func jsonValue() -> JSONValue {
    .object([
      "host": .string(host), "pid": JSONValue(Int(owner.pid)), "user": .string(user), "version": .string(version),
      "state": .string(state.rawValue), "started_at": JSONValue(startedAt), "ready_at": JSONValue(readyAt),
      "ended_at": JSONValue(endedAt), "configuration": JSONValue(recorded: configuration),
    ])
  }
}

extension StatusReport {
  /// The host, how many runs it has, what is wrong with the workspace and the host, and these of its pipelines.
  package func jsonValue(of entries: [Entry]) -> JSONValue {
    .object([
      "host": host?.jsonValue() ?? .null, "running": JSONValue(running), "queued": JSONValue(queued),
      "problems": .array(problems.map { .string($0) }),
      "pipelines": .array(entries.map { $0.jsonValue() }),
    ])
  }
}

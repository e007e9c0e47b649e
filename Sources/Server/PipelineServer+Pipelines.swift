import PipelineEngine
import RunHistory
import Workspace

/// The pipelines that the host serves, and their events.
extension PipelineServer {
  /// Searches all files for the first time: before a host is ready, it knows what it serves. Returns nil if it must end before that.
  func lookFirst() async throws -> PipelineCatalog.Difference? {
    var difference = await search()
    if difference.isIncomplete, !mail.isDrainAsked {
      tellIncomplete()
      // For requests whether there is a host. The same shortage may prevent this write, too.
      record.configuration = configuration.json(problems: problems).text
      try? history.update(record)
    }
    while difference.isIncomplete {
      guard try !mail.isDrainAsked && !history.isDrainAsked() else { return nil }
      states.change(to: .stillStarting)
      try await host.delay(for: .seconds(1))
      difference = await search()
    }
    watch.problem = nil
    try await take(difference, isFirst: true)
    return difference
  }

  /// Searches all files outside of this actor, so that it goes on recording occasions while files, and the plugins that check them, take their time. Until
  /// it has returned, nothing else may change the catalog; that is so because signals are handled one after another.
  private func search() async -> PipelineCatalog.Difference {
    let progress = SearchProgress()
    // By real time, whatever clock is injected: loading takes none by that one.
    let observer = Task { [weak self] in
      while (try? await Task.sleep(for: Self.loadingTime)) != nil {
        if let path = progress.look() { await self?.tellHanging(path) }
      }
    }
    let (searched, difference) = await Self.searched(catalog, progress) { [mail] in mail.isDrainAsked }
    observer.cancel()
    catalog = searched
    watch.hanging = nil
    return difference
  }

  @concurrent private static func searched(
    _ catalog: PipelineCatalog, _ progress: SearchProgress, unless isOver: @Sendable () -> Bool
  ) async -> (PipelineCatalog, PipelineCatalog.Difference) {
    var catalog = catalog
    let difference = catalog.look(unless: isOver, onFile: progress.begin)
    return (catalog, difference)
  }

  /// How long a file may take to load, at least, before this is reported.
  private static let loadingTime = Duration.seconds(1)

  /// Reports that loading a file takes unusually long: until it ends, no other change takes effect.
  private func tellHanging(_ path: String) {
    let problem =
      "'\(path)' is still being loaded; probably a plugin that it uses hangs, and no changed file takes effect until it returns"
    watch.hanging = problem
    log.tell(.warning, "pipeline", problem)
    record.configuration = configuration.json(problems: problems).text
    // The next search ends with another write.
    if record.number != 0 { try? history.update(record) }
  }

  private func tellIncomplete() {
    let problem =
      "cannot read all pipeline files, because no descriptor or memory is free; the loaded versions stay in effect; trying again each second"
    watch.problem = problem
    log.tell(.error, "pipeline", problem)
  }

  /// The problems of the paths that it serves.
  var problems: [String] { [watch.hanging, watch.problem].compactMap(\.self) + catalog.folderProblems }

  /// Searches all files, and reports changes, which then take effect. Files that cannot be read for lack of descriptors stay as they are until they can be read.
  func look() async throws -> PipelineCatalog.Difference {
    let difference = await search()
    // What is asked to drain needs no other versions.
    guard !mail.isDrainAsked || !difference.isIncomplete else { return difference }
    if difference.isIncomplete, watch.again == nil { tellIncomplete() }
    if !difference.isIncomplete { watch.problem = nil }
    try await take(difference)
    watch.again?.cancel()
    watch.again =
      !difference.isIncomplete
      ? nil
      : Task { [host, mail] in
        guard (try? await host.delay(for: .seconds(1))) != nil else { return }
        mail.send(.filesChanged)
      }
    return difference
  }

  /// Reports other versions of pipelines, and ends those that are no longer served.
  func take(_ difference: PipelineCatalog.Difference, isFirst: Bool = false) async throws {
    for notice in difference.notices {
      log.tell(
        notice.isProblem ? .error : .info, "pipeline", notice.message,
        pipeline: notice.pipeline.isEmpty ? nil : notice.pipeline)
    }
    for name in difference.ended {
      agents.end(name)
      publications.conditions.end(name)
      publications.controllers.begin(name)
    }
    await publications.forecasts.forget(difference.ended)
    let published = configuration.json(problems: problems).text
    if record.configuration != published {
      record.configuration = published
      try await write { try history.update(record) }
    }
    if let variables = configuration.environment(hiding: catalog.secretVariables) { host.setEnvironment(variables) }
    await dispatcher.setOverlap(
      single: Set(catalog.pipelines.filter { $0.overlap == .queue }.map(\.name)),
      replacing: Set(catalog.pipelines.filter { $0.overlap == .cancel }.map(\.name)))
    let changed = difference.changed
    let former = isFirst ? Set(try history.publishedPipelines().map(\.name)) : []
    let served = Set(changed.map(\.name))
    let removed = difference.ended + former.subtracting(served)
    try await write { try history.publish(changed, removed: removed) }
  }

  /// How many pipelines begin before others have their turn.
  private static let begunAtOnce = 8

  /// Starts controllers and conditions of other versions.
  func begin(_ difference: PipelineCatalog.Difference, isFirst: Bool = false) async {
    for (index, pipeline) in difference.begun.enumerated() {
      // Among thousands, occasions of others are recorded.
      if index % Self.begunAtOnce == Self.begunAtOnce - 1 { await Task.yield() }
      let former = agents.end(pipeline.name)
      // So that its controllers store that they have reported them before the new ones begin.
      await former?.catchUp()
      let wasControlled = former?.pipeline.outline.controllers.isEmpty == false
      let gap = wasControlled ? PipelineAbsence.edit(until: host.now()) : PipelineAbsence()
      let agent = PipelineAgent(
        pipeline, in: host, absence: difference.absences[pipeline.name] ?? gap, awaited: awaited,
        admit: { [weak self] occasion, run, overlap in
          guard let self else { throw CancellationError() }
          return try await admit(occasion, run, overlap)
        },
        onSkip: { [log] in log.tell($0, isNotRun: $1) },
        onCondition: { [publications, name = pipeline.name] in publications.conditions.note($0, of: name) },
        onTrouble: { [publications, name = pipeline.name] in publications.controllers.note($1, $0, of: name) },
        onProblem: { [log, name = pipeline.name] in log.tell(.error, "occasion", $0, pipeline: name) })
      publications.conditions.begin(pipeline.name)
      publications.controllers.begin(pipeline.name)
      do {
        try agent.begin()
        agents.add(agent)
        if !isFirst {
          log.tell(.info, "pipeline", "'\(pipeline.name)' is served from \(pipeline.path)", pipeline: pipeline.name)
        }
      } catch {
        log.tell(
          .error, "pipeline", "'\(pipeline.name)' cannot be started by its triggers: \(error)", pipeline: pipeline.name)
        let controller = pipeline.outline.controllers.map(\.use.offer).joined(separator: ", ")
        guard !controller.isEmpty else { break }
        let trouble = ControllerTrouble(controller: controller, reason: "\(error)", since: host.now(), isOver: true)
        publications.controllers.note(trouble, 0, of: pipeline.name)
      }
    }
    for name in difference.ended { log.tell(.info, "pipeline", "'\(name)' is no longer served", pipeline: name) }
    watchFiles()
    // A newly published pipeline has no forecast, even if its version is the same as before.
    let changed = Set(difference.changed.map(\.name))
    forecast(catalog.pipelines.filter { changed.contains($0.name) }, anew: true)
  }

  /// Records an occasion.
  func admit(
    _ occasion: Occasion, _ run: QueuedRun, _ overlap: OccasionRequest.Overlap
  ) async throws -> Admission {
    let others = overlap == .skip ? await dispatcher.runs(of: occasion.pipeline) : []
    let admission = try await host.admit(
      OccasionRequest(occasion, run: run, overlap: overlap, capacity: configuration.limits.queued, others: others)
    ) { [log] in
      for late in $0 { log.tell(late) }
    }
    clock?.look()
    if occasion.instant != nil, let pipeline = catalog.pipeline(occasion.pipeline) { forecast([pipeline]) }
    switch admission {
    case .known: break
    case .queued(let run, let replaced):
      for former in replaced {
        log.tell(former, of: occasion.pipeline, isNotRun: .overlap, because: "replaced by run \(run)")
      }
    case .skipped(let reason, _):
      // The earlier forecast does not say why.
      var skipped = occasion
      skipped.detail = nil
      log.tell(skipped, isNotRun: reason)
    }
    return admission
  }

  /// Publishes when they are next due, which may have changed.
  func forecast(_ pipelines: [ServedPipeline], anew: Bool = false) {
    let due = pipelines.filter { !$0.isIdle }
    Task { [publications] in await publications.forecasts.note(due, anew: anew) }
  }

  /// Watches the relevant files. One more search finds changes between a search and the beginning of the watch.
  func watchFiles() {
    let paths = catalog.watchedPaths
    guard paths != watch.paths || watch.task == nil else { return }
    watch.paths = paths
    watch.task?.cancel()
    let changes = host.changes(of: paths.sorted()) { [mail] in mail.send(.filesChanged) }
    watch.task = Task { [mail] in
      for await _ in changes { mail.send(.filesChanged) }
    }
  }
}

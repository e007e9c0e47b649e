import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// A requested run of a served pipeline: queued as a row for the host of the workspace, which begins it now or once there is one.
package struct RequestedRun: Sendable {
  package let pipeline: PublishedPipeline
  /// The definition currently in its file.
  package let definition: PipelineDefinition
  private let history: History

  /// Finds the pipeline named `name`, and loads its file; `accept` returns the definition from the loader's result, or throws if that has errors.
  ///
  /// - Throws: ``ServedPipelineError``, what `accept` throws, or `WorkspaceError`.
  package init(
    ofPipelineNamed name: String, in history: History, plugins: PluginSource, who: String, at time: RecordTime = .now,
    accept: (LoadResult) throws -> PipelineDefinition
  ) throws {
    self.history = history
    pipeline = try history.servedPipeline(name)
    let result = PipelineLoader.load(path: pipeline.path, plugins: plugins, host: try history.publishedHost())
    do {
      definition = try accept(result)
    } catch {
      let finding = DiagnosticRenderer().firstError(in: result.diagnostics, of: result.sources)
      try Self.refuse(name, for: .invalidDefinition, finding, who: who, at: time, in: history)
      throw error
    }
    guard definition.name == name else {
      let error = ServedPipelineError.renamed(name, path: pipeline.path, other: definition.name)
      try Self.refuse(name, for: .invalidDefinition, error.description, who: who, at: time, in: history)
      throw error
    }
    // The host may not have noticed yet that one of them was renamed.
    let claimants = pipeline.claimants.filter { Self.file($0, claims: name, plugins) }
    guard claimants.count < 2 else {
      let error = ServedPipelineError.duplicate(name, paths: claimants)
      try Self.refuse(name, for: .invalidDefinition, error.description, who: who, at: time, in: history)
      throw error
    }
  }

  /// Returns whether the pipeline of a file has that name, as far as the file can be read.
  private static func file(_ path: String, claims name: String, _ plugins: PluginSource) -> Bool {
    guard FileStamp(path) != nil else { return false }
    let result = PipelineLoader.load(path: path, plugins: plugins)
    if result.pipeline == nil, result.templateCount != nil { return false }
    return (result.pipeline?.name ?? PipelineFiles.pipelineName(of: path)) == name
  }

  /// Records that the params could not be read, for whatever reason.
  package func refuseParameters(because detail: String?, who: String, at time: RecordTime = .now) throws {
    try Self.refuse(pipeline.name, for: .invalidParams, detail, who: who, at: time, in: history)
  }

  /// Queues the run.
  ///
  /// - Parameters:
  ///   - given: Params as texts.
  ///   - values: Params from files; `given` takes precedence.
  ///   - labels: Labels added to those of the pipeline; they take precedence.
  ///   - priority: Replaces that of the pipeline.
  ///   - who: The login name of the requester.
  ///   - version: The version of the program, which is recorded.
  ///   - time: The present.
  /// - Returns: The id of the run.
  /// - Throws: `ParameterProblems`, ``ServedPipelineError/refused(_:_:detail:)``, or `WorkspaceError`.
  package func queue(
    given: [(name: String, text: String)], values: [String: JSONValue], labels: [String: String], priority: Int?,
    who: String, version: String, at time: RecordTime = .now
  ) throws -> RunID {
    let start: RunStart
    do {
      start = try RunStart(of: definition, given: given, values: values, labels: labels, version: version)
    } catch let problems as ParameterProblems {
      try Self.refuse(pipeline.name, for: .invalidParams, problems.description, who: who, at: time, in: history)
      throw problems
    }
    return try start.queue(in: history, for: Requester(who), priority: priority, at: time)
  }

  private static func refuse(
    _ name: String, for reason: Occasion.Reason, _ detail: String?, who: String, at time: RecordTime,
    in history: History
  ) throws {
    let occasion = Occasion(pipeline: name, cause: .request, askedAt: time, askedBy: who, detail: detail)
    _ = try history.admit(OccasionRequest(occasion, without: reason))
  }
}

extension RunStart {
  /// Queues the run for the host of the workspace, which begins it now or once there is one.
  ///
  /// - Parameters:
  ///   - history: The history, for writing.
  ///   - requester: The requester.
  ///   - priority: Replaces that of the pipeline. Default nil.
  ///   - time: The present.
  /// - Returns: The id of the run.
  /// - Throws: ``ServedPipelineError/refused(_:_:detail:)``, or `WorkspaceError`.
  package func queue(
    in history: History, for requester: Requester, priority: Int? = nil, at time: RecordTime = .now
  ) throws -> RunID {
    let scheduling = pipeline.scheduling
    let run = QueuedRun(
      of: pipeline, options: options, queue: scheduling.queue ?? QueuedRun.defaultQueue,
      priority: priority ?? scheduling.priority, startBy: scheduling.startWithin.map { time.advanced(by: $0) }, at: time
    )
    let occasion = Occasion(
      pipeline: pipeline.name, cause: options.trigger == .retry ? .retry : .request, askedAt: time,
      askedBy: requester.who)
    let request = OccasionRequest(
      occasion, run: run, overlap: OccasionRequest.Overlap(pipeline.overlap), capacity: try history.queueCapacity())
    switch try history.admit(request, for: requester) {
    case .queued(let run, _): return run
    case .skipped(let reason, _): throw ServedPipelineError.refused(pipeline.name, reason, detail: nil)
    case .known: throw ServedPipelineError.refused(pipeline.name, .duplicate, detail: nil)
    }
  }
}

extension OccasionRequest.Overlap {
  /// Converts a pipeline's overlap policy.
  package init(_ overlap: PipelineDefinition.Overlap) {
    switch overlap {
    case .allow: self = .allow
    case .queue: self = .queue
    case .skip: self = .skip
    case .cancel: self = .cancel
    }
  }
}

extension RecordTime {
  /// Returns the instant `duration` later; saturates on overflow.
  package func advanced(by duration: Duration) -> RecordTime {
    let (seconds, attoseconds) = duration.components
    let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return advanced(by: overflow ? (seconds < 0 ? .min : .max) : microseconds + attoseconds / 1_000_000_000_000)
  }
}

extension History {
  /// Returns the queues and resources published by the host of the workspace, or by the last one.
  func publishedHost() throws -> HostSource {
    guard let text = try hosts(limit: 1).first?.configuration, let published = try? JSONValue.parse(text) else {
      return .unchecked
    }
    var host = HostDefinition()
    for (name, runs) in published["queues"]?.objectValue ?? [:] where host.queue(name) == nil {
      host.queues.append(HostDefinition.Queue(name: name, runs: runs.intValue.map(Int.init) ?? 1))
    }
    host.resources = (published["resources"]?.objectValue ?? [:]).map { name, capacity in
      HostDefinition.Resource(name: name, capacity: capacity.intValue.map(Int.init) ?? 1)
    }
    return .host(host)
  }

  /// Returns the maximum number of queued runs that the host, or the last one, has set. Default 100,000.
  func queueCapacity() throws -> Int {
    let text = try hosts(limit: 1).first?.configuration
    let limits = text.flatMap { try? JSONValue.parse($0) }?["limits"]
    return limits?["queued"]?.intValue.map(Int.init) ?? 100_000
  }
}

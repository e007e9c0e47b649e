import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// Publishes when pipelines are due next, as far as their controllers know: asked beside the host's own work, and once for all that has changed meanwhile.
actor Forecasts {
  private let host: RunHost
  private let plugins: PluginSource
  private var waiting: [String: ServedPipeline] = [:]
  private var isAsking = false

  /// How far ahead controllers are asked, in microseconds: a leap day may be due in eight years, but mostly in four.
  private static let horizon: Int64 = 4 * 366 * 86_400_000_000
  /// How many instants are looked at for one that has not come up yet, and how often, where the clock was set back: as many as are remembered.
  private static let (page, mostPages) = (1000, 10)

  init(host: RunHost, plugins: PluginSource) {
    self.host = host
    self.plugins = plugins
  }

  /// When these are due next may be another instant now.
  func note(_ pipelines: [ServedPipeline]) async {
    for pipeline in pipelines where !pipeline.outline.controllers.isEmpty { waiting[pipeline.name] = pipeline }
    guard !isAsking else { return }
    isAsking = true
    defer { isAsking = false }
    while !waiting.isEmpty {
      let asked = Array(waiting.values)
      waiting = [:]
      let found = await next(of: asked, after: host.now())
      // What cannot be written now is written after the next instant.
      try? await host.publishNext(found)
    }
  }

  @concurrent private nonisolated func next(
    of pipelines: [ServedPipeline], after now: RecordTime
  ) async -> [(pipeline: String, at: RecordTime?, cause: String?)] {
    pipelines.map { pipeline in
      let first = next(of: pipeline, after: now)
      return (pipeline.name, first?.at, first?.cause)
    }
  }

  private nonisolated func next(of pipeline: ServedPipeline, after now: RecordTime) -> (at: RecordTime, cause: String)?
  {
    // Mostly, everything that has come up is past.
    guard let latest = try? host.history.latestInstant(of: pipeline.name), latest > now else {
      return instants(of: pipeline, after: now, limit: 3) { _ in false }.first
    }
    // The clock was set back, and no instant comes up again. One that was passed over before may be among them.
    var start = now
    for _ in 0..<Self.mostPages where start < latest {
      let found = instants(of: pipeline, after: start, limit: Self.page) { hasComeUp($0, of: pipeline) }
      // Of a controller that has more to tell there may be others before it.
      if let first = found.first, found.end.map({ first.at <= $0 }) ?? true { return first }
      guard let end = found.end, end > start else { return nil }
      start = end
    }
    return instants(of: pipeline, after: max(start, latest), limit: 3) { _ in false }.first
  }

  /// As far as that can be read.
  private nonisolated func hasComeUp(_ instant: RecordTime, of pipeline: ServedPipeline) -> Bool {
    (try? host.history.hasComeUp(instant, of: pipeline.name)) ?? false
  }

  /// The first instant at which the pipeline is due that is not left out among the next `limit` of each controller, and up to where all of them are told; nil where
  /// there are no more.
  private nonisolated func instants(
    of pipeline: ServedPipeline, after start: RecordTime, limit: Int, leavingOut isLeftOut: (RecordTime) -> Bool
  ) -> (first: (at: RecordTime, cause: String)?, end: RecordTime?) {
    let forecasts = ControllerForecast.all(
      of: pipeline.outline, plugins: plugins, after: start, until: start.advanced(by: Self.horizon), limit: limit)
    let due = forecasts.compactMap { forecast in
      forecast.instants.first { !$0.isSkipped && !isLeftOut($0.at) }.map { (at: $0.at, cause: forecast.controller) }
    }
    return (due.min { $0.at < $1.at }, forecasts.filter(\.hasMore).compactMap(\.instants.last?.at).min())
  }
}

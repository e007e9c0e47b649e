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
      let found = await Self.next(of: asked, plugins: plugins, after: host.now())
      // What cannot be written now is written after the next instant.
      try? host.history.publishNext(found)
    }
  }

  @concurrent private static func next(
    of pipelines: [ServedPipeline], plugins: PluginSource, after now: RecordTime
  ) async -> [(pipeline: String, at: RecordTime?, cause: String?)] {
    pipelines.map { pipeline in
      let forecasts = ControllerForecast.all(
        of: pipeline.outline, plugins: plugins, after: now, until: now.advanced(by: horizon), limit: 3)
      let instants = forecasts.compactMap { forecast in
        forecast.instants.first { !$0.isSkipped }.map { (at: $0.at, cause: forecast.controller) }
      }
      let first = instants.min { $0.at < $1.at }
      return (pipeline.name, first?.at, first?.cause)
    }
  }
}

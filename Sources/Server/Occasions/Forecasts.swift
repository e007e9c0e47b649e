import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// Publishes when pipelines are due next, as far as their controllers know: asked beside the host's own work, for several instants at once, and once for all that
/// has changed meanwhile.
actor Forecasts {
  /// When a pipeline is due, and by which of its controllers.
  private typealias Due = (at: RecordTime, cause: String)

  /// What the controllers of a pipeline have told of instants to come.
  private struct Told: Sendable {
    var askedAt: RecordTime
    /// In their order.
    var instants: [Due]

    /// The first of them after a time; nil where they have to be asked anew, as also where the latest instant that has come up is none of them.
    func next(after now: RecordTime, latest: RecordTime?) -> Due? {
      guard askedAt <= now, now < askedAt.advanced(by: Forecasts.age) else { return nil }
      if let latest, latest > askedAt, !instants.contains(where: { $0.at == latest }) { return nil }
      return instants.first { $0.at > now }
    }
  }

  private let host: RunHost
  private let plugins: PluginSource
  private var waiting: [String: ServedPipeline] = [:]
  private var isAsking = false
  /// By the names of their pipelines.
  private var told: [String: Told] = [:]

  /// How far ahead controllers are asked, in microseconds: a leap day may be due in eight years, but mostly in four.
  private static let horizon: Int64 = 4 * 366 * 86_400_000_000
  /// How many instants each controller is asked for, and for how long that counts, in microseconds: zones and plugins change.
  private static let (several, age) = (16, Int64(86_400_000_000))
  /// How many instants are looked at for one that is not left out, or has not come up yet, and how often, where the clock was set back: as many as are remembered.
  private static let (page, mostPages) = (1000, 10)

  init(host: RunHost, plugins: PluginSource) {
    self.host = host
    self.plugins = plugins
  }

  /// When these are due next may be another instant now; `anew` where what their controllers have told before counts no longer.
  func note(_ pipelines: [ServedPipeline], anew: Bool) async {
    for pipeline in pipelines where !pipeline.outline.controllers.isEmpty {
      waiting[pipeline.name] = pipeline
      if anew { told[pipeline.name] = nil }
    }
    guard !isAsking else { return }
    isAsking = true
    defer { isAsking = false }
    while !waiting.isEmpty {
      let asked = waiting
      waiting = [:]
      // What is noted anew meanwhile is among those that wait.
      let former = told.filter { asked[$0.key] != nil }
      for name in asked.keys { told[name] = nil }
      let (found, now) = await next(of: Array(asked.values), former, after: host.now())
      for (name, known) in now where waiting[name] == nil { told[name] = known }
      // What cannot be written now is written after the next instant.
      try? await host.publishNext(found)
    }
  }

  /// They are served no longer.
  func forget(_ pipelines: [String]) {
    for name in pipelines { (told[name], waiting[name]) = (nil, nil) }
  }

  @concurrent private nonisolated func next(
    of pipelines: [ServedPipeline], _ former: [String: Told], after now: RecordTime
  ) async -> (found: [(pipeline: String, at: RecordTime?, cause: String?)], told: [String: Told]) {
    var told = former
    let found = pipelines.map { pipeline in
      let first = next(of: pipeline, &told[pipeline.name], after: now)
      return (pipeline.name, first?.at, first?.cause)
    }
    return (found, told)
  }

  private nonisolated func next(of pipeline: ServedPipeline, _ told: inout Told?, after now: RecordTime) -> Due? {
    // Mostly, everything that has come up is past.
    let latest = try? host.history.latestInstant(of: pipeline.name)
    guard let latest, latest > now else {
      if let known = told?.next(after: now, latest: latest) { return known }
      told = Told(askedAt: now, instants: instants(of: pipeline, after: now))
      return told?.instants.first
    }
    told = nil
    // The clock was set back, and no instant comes up again. One that was passed over before may be among them.
    var start = now
    for _ in 0..<Self.mostPages where start < latest {
      let (due, end) = instants(of: pipeline, after: start, limit: Self.page)
      // Of a controller that has more to tell there may be others before it.
      if let first = due.first(where: { !hasComeUp($0.at, of: pipeline) }), end.map({ first.at <= $0 }) ?? true {
        return first
      }
      guard let end, end > start else { return nil }
      start = end
    }
    return instants(of: pipeline, after: max(start, latest)).first
  }

  /// As far as that can be read.
  private nonisolated func hasComeUp(_ instant: RecordTime, of pipeline: ServedPipeline) -> Bool {
    (try? host.history.hasComeUp(instant, of: pipeline.name)) ?? false
  }

  /// Several of the next instants at which the pipeline is due: all that there are until the last of them.
  private nonisolated func instants(of pipeline: ServedPipeline, after start: RecordTime) -> [Due] {
    var (due, end) = instants(of: pipeline, after: start, limit: Self.several)
    // A change of the clocks may leave out more than that.
    if due.isEmpty, end != nil { (due, end) = instants(of: pipeline, after: start, limit: Self.page) }
    guard let end else { return due }
    let known = due.prefix { $0.at <= end }
    // Rather one that may not be the first than none.
    return Array(known.isEmpty ? due.prefix(1) : known)
  }

  /// The instants at which the pipeline is due among the next `limit` of each controller, without those that are left out, and up to where all of them are told;
  /// nil where there are no more.
  private nonisolated func instants(
    of pipeline: ServedPipeline, after start: RecordTime, limit: Int
  ) -> (due: [Due], end: RecordTime?) {
    let forecasts = ControllerForecast.all(
      of: pipeline.outline, plugins: plugins, after: start, until: start.advanced(by: Self.horizon), limit: limit)
    let due = forecasts.flatMap { forecast in
      forecast.instants.filter { !$0.isSkipped }.map { (at: $0.at, cause: forecast.controller) }
    }
    return (due.sorted { $0.at < $1.at }, forecasts.filter(\.hasMore).compactMap(\.instants.last?.at).min())
  }
}

import PipelineEngine
import PipelineLanguage
import RunHistory
import Values

/// Publishes when pipelines are next due, as far as their controllers know. Controllers are asked in the background, for several instants at once, and once for all
/// changes in the meantime. Pipelines of the same plugins are asked together, apart from others: a plugin that hangs does not hold up those.
actor Forecasts {
  /// When a pipeline is due, and because of which of its controllers.
  private typealias Due = (at: RecordTime, cause: String)

  /// The next instants reported by the controllers of a pipeline.
  private struct Told: Sendable {
    var askedAt: RecordTime
    /// In their order.
    var instants: [Due]

    /// Returns the first instant after a time; nil if the controllers must be asked again, which includes the case that the latest instant that came up is not among them.
    func next(after now: RecordTime, latest: RecordTime?) -> Due? {
      guard askedAt <= now, now < askedAt.advanced(by: Forecasts.age) else { return nil }
      if let latest, latest > askedAt, !instants.contains(where: { $0.at == latest }) { return nil }
      return instants.first { $0.at > now }
    }
  }

  private let host: RunHost
  private let plugins: PluginSource
  private var waiting: [String: ServedPipeline] = [:]
  /// The plugins that are being asked.
  private var asking: Set<Set<String>> = []
  /// The forecasts by the names of their pipelines.
  private var told: [String: Told] = [:]

  /// How far ahead controllers are asked, in microseconds: the next leap day may be eight years away, but is mostly within four.
  private static let horizon: Int64 = 4 * 366 * 86_400_000_000
  /// The number of instants requested from each controller, and how long the answer is valid, in microseconds: zones and plugins change.
  private static let (several, age) = (16, Int64(86_400_000_000))
  /// How many instants are searched for one that is not skipped and has not come up yet, and how often, if the clock was set back: as many as are remembered.
  private static let (page, mostPages) = (1000, 10)

  init(host: RunHost, plugins: PluginSource) {
    self.host = host
    self.plugins = plugins
  }

  /// Notes that the next instants of these pipelines may have changed; `anew` if earlier answers of their controllers are no longer valid.
  func note(_ pipelines: [ServedPipeline], anew: Bool) async {
    for pipeline in pipelines where !pipeline.outline.controllers.isEmpty {
      waiting[pipeline.name] = pipeline
      if anew { told[pipeline.name] = nil }
    }
    let groups = Set(waiting.values.map(\.controllerPlugins)).subtracting(asking)
    await withTaskGroup { tasks in
      for group in groups { tasks.addTask { await self.ask(group) } }
    }
  }

  /// Asks for the instants of the pipelines with exactly these plugins, until no more of them wait.
  private func ask(_ plugins: Set<String>) async {
    guard asking.insert(plugins).inserted else { return }
    defer { asking.remove(plugins) }
    while true {
      let asked = waiting.filter { $0.value.controllerPlugins == plugins }
      guard !asked.isEmpty else { return }
      for name in asked.keys { waiting[name] = nil }
      // A pipeline that is noted again in the meantime is among those that wait.
      let former = told.filter { asked[$0.key] != nil }
      for name in asked.keys { told[name] = nil }
      let (found, now) = await next(of: Array(asked.values), former, after: host.now())
      for (name, known) in now where waiting[name] == nil { told[name] = known }
      // A failed write is repeated after the next instant.
      try? await host.publishNext(found)
    }
  }

  /// Notes that these pipelines are no longer served.
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
    // Usually, every instant that came up is in the past.
    let latest = try? host.history.latestInstant(of: pipeline.name)
    guard let latest, latest > now else {
      if let known = told?.next(after: now, latest: latest) { return known }
      told = Told(askedAt: now, instants: instants(of: pipeline, after: now))
      return told?.instants.first
    }
    told = nil
    // The clock was set back, and no instant comes up twice. One that was skipped before may be among them.
    var start = now
    for _ in 0..<Self.mostPages where start < latest {
      let (due, end) = instants(of: pipeline, after: start, limit: Self.page)
      // A controller with further instants may have others before this one.
      if let first = due.first(where: { !hasComeUp($0, of: pipeline, now) }), end.map({ first.at <= $0 }) ?? true {
        return first
      }
      guard let end, end > start else { return nil }
      start = end
    }
    return instants(of: pipeline, after: max(start, latest)).first
  }

  /// Returns what could be read.
  private nonisolated func hasComeUp(_ due: Due, of pipeline: ServedPipeline, _ now: RecordTime) -> Bool {
    (try? host.history.hasComeUp(due.at, of: pipeline.name, by: due.cause, at: now)) ?? false
  }

  /// Returns several of the next instants at which the pipeline is due: all instants up to the last of them.
  private nonisolated func instants(of pipeline: ServedPipeline, after start: RecordTime) -> [Due] {
    var (due, end) = instants(of: pipeline, after: start, limit: Self.several)
    // A clock change may skip more than that.
    if due.isEmpty, end != nil { (due, end) = instants(of: pipeline, after: start, limit: Self.page) }
    guard let end else { return due }
    let known = due.prefix { $0.at <= end }
    // An instant that may not be the first is better than none.
    return Array(known.isEmpty ? due.prefix(1) : known)
  }

  /// Returns the instants at which the pipeline is due among the next `limit` of each controller, without skipped ones, up to the point to which all controllers have
  /// answered; nil if there are no more.
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

extension ServedPipeline {
  /// The plugins of its controllers.
  fileprivate var controllerPlugins: Set<String> { Set(outline.controllers.map(\.use.plugin)) }
}

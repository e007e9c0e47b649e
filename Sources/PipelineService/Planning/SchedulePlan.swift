import PipelineEngine
import PipelineLanguage
import RunHistory

/// The instants at which the controllers of pipelines will request runs, in chronological order.
///
/// ```swift
/// var plan = SchedulePlan(after: now, until: tomorrow)
/// for pipeline in pipelines { plan.add(pipeline, file: pipeline.path, plugins: plugins) }
/// plan.finish()
/// ```
///
/// Its size is bounded, both per controller and over all pipelines; what was left out is reported.
package struct SchedulePlan: Sendable {
  /// One instant of one controller.
  package struct Row: Sendable, Hashable {
    /// The instant.
    package var at: RecordTime
    /// The local time in its zone; nil if that adds nothing.
    package var localTime: String?
    /// The time zone that it is computed in.
    package var zone: String?
    /// The pipeline's name.
    package var pipeline: String
    /// Its file.
    package var file: String
    /// The controller's name, such as `cron`.
    package var controller: String
    /// Whether no run is requested, because a clock change skips the instant.
    package var isSkipped: Bool
    /// Which times are skipped or occur twice.
    package var note: String?
    /// The number of instants at the same moment, including this one; 1 if it is alone. Skipped instants do not count.
    package var together = 1
  }

  /// A controller about which something is unknown.
  package struct Controller: Sendable, Hashable {
    /// The pipeline's name.
    package var pipeline: String
    /// Its file.
    package var file: String
    /// The controller's name, such as `cron`.
    package var controller: String
  }

  /// The number of pipelines added.
  package private(set) var pipelines = 0
  /// The instants, available after ``finish()``.
  package private(set) var rows: [Row] = []
  /// Controllers whose instants are unknown, and why.
  package private(set) var unknown: [(controller: Controller, reason: String)] = []
  /// Controllers of which only the earliest instants are included: how many, and the last of these.
  package private(set) var cut: [(controller: Controller, count: Int, after: RecordTime)] = []
  /// The last instant included if there were too many over all pipelines; otherwise nil.
  package private(set) var horizon: RecordTime?

  private let after: RecordTime
  private let until: RecordTime
  private let mostOfController: Int
  private let mostRows: Int

  /// Creates an empty plan.
  ///
  /// - Parameters:
  ///   - after: Only instants after it are included.
  ///   - until: Only instants not after it are included.
  ///   - mostOfController: The maximum number of instants of each controller; the earliest are kept.
  ///   - mostRows: The maximum number of instants of all controllers; the earliest are kept.
  package init(after: RecordTime, until: RecordTime, mostOfController: Int = 10_000, mostRows: Int = 100_000) {
    self.after = after
    self.until = until
    self.mostOfController = mostOfController
    self.mostRows = mostRows
  }

  /// Adds the instants of a pipeline's controllers. Blocks the calling thread while plugins compute them.
  package mutating func add(_ pipeline: PipelineDefinition, file: String, plugins: PluginSource) {
    pipelines += 1
    let forecasts = ControllerForecast.all(
      of: pipeline, plugins: plugins, after: after, until: horizon ?? until, limit: mostOfController)
    for forecast in forecasts {
      let controller = Controller(pipeline: pipeline.name, file: file, controller: forecast.controller)
      if let reason = forecast.unknown {
        unknown.append((controller, reason))
        continue
      }
      if forecast.hasMore, let last = forecast.instants.last {
        cut.append((controller, forecast.instants.count, last.at))
      }
      rows += forecast.instants.map { instant in
        Row(
          at: instant.at, localTime: instant.localTime, zone: forecast.zone, pipeline: pipeline.name, file: file,
          controller: forecast.controller, isSkipped: instant.isSkipped, note: instant.note)
      }
    }
    if rows.count > 2 * mostRows { bound() }
  }

  /// Sorts the rows. Must be called once, after the last pipeline.
  package mutating func finish() {
    bound()
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].at == rows[start].at { end += 1 }
      let count = rows[start..<end].count { !$0.isSkipped }
      for index in start..<end where !rows[index].isSkipped { rows[index].together = count }
      start = end
    }
  }

  /// Sorts the rows and drops those after the first ``mostRows``; rows of the same moment are kept or dropped together.
  private mutating func bound() {
    rows.sort { ($0.at, $0.pipeline, $0.file, $0.controller) < ($1.at, $1.pipeline, $1.file, $1.controller) }
    guard rows.count > mostRows else { return }
    var end = mostRows
    while end > 0, rows[end - 1].at == rows[end].at { end -= 1 }
    if end == 0 { end = rows.firstIndex { $0.at != rows[0].at } ?? rows.count }
    guard end < rows.count else { return }
    let last = rows[end - 1].at
    rows.removeSubrange(end...)
    horizon = last
    // Controllers cut after the horizon are no longer incomplete.
    cut.removeAll { $0.after >= last }
  }
}

import PipelineEngine
import PipelineLanguage
import RunHistory

/// Which instants the controllers of pipelines will ask for, in the order of time.
///
/// ```swift
/// var plan = SchedulePlan(after: now, until: tomorrow)
/// for pipeline in pipelines { plan.add(pipeline, file: pipeline.path, plugins: plugins) }
/// plan.finish()
/// ```
///
/// Neither one controller of many instants nor many pipelines make it grow without bound: what is left out for that is told.
package struct SchedulePlan: Sendable {
  /// One instant of one controller.
  package struct Row: Sendable, Hashable {
    /// When it is.
    package var at: RecordTime
    /// What the clocks of its zone show then; nil where that says nothing.
    package var localTime: String?
    /// Whose clocks it goes by.
    package var zone: String?
    /// The pipeline's name.
    package var pipeline: String
    /// Its file.
    package var file: String
    /// Such as `cron`.
    package var controller: String
    /// Whether nothing is asked for: a change of the clocks takes away what would be.
    package var isSkipped: Bool
    /// Which times are skipped or come twice.
    package var note: String?
    /// How many instants there are at that moment, with this one; 1 where it is alone. Skipped ones do not count.
    package var together = 1
  }

  /// A controller of which something is not known.
  package struct Controller: Sendable, Hashable {
    /// The pipeline's name.
    package var pipeline: String
    /// Its file.
    package var file: String
    /// Such as `cron`.
    package var controller: String
  }

  /// How many pipelines were asked.
  package private(set) var pipelines = 0
  /// The instants, once ``finish()`` was called.
  package private(set) var rows: [Row] = []
  /// Controllers whose instants nobody knows, and why.
  package private(set) var unknown: [(controller: Controller, reason: String)] = []
  /// Controllers of which only the earliest instants are there: how many, and the last of these.
  package private(set) var cut: [(controller: Controller, count: Int, after: RecordTime)] = []
  /// Nothing after it is there, as there would be too many instants of all pipelines; nil where that is not so.
  package private(set) var horizon: RecordTime?

  private let after: RecordTime
  private let until: RecordTime
  private let mostOfController: Int
  private let mostRows: Int

  /// An empty plan.
  ///
  /// - Parameters:
  ///   - after: Instants after it.
  ///   - until: Instants not after it.
  ///   - mostOfController: The earliest so many of each controller.
  ///   - mostRows: The earliest so many of all.
  package init(after: RecordTime, until: RecordTime, mostOfController: Int = 10_000, mostRows: Int = 100_000) {
    self.after = after
    self.until = until
    self.mostOfController = mostOfController
    self.mostRows = mostRows
  }

  /// Asks the controllers of a pipeline. The calling thread waits for plugins.
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

  /// Brings the rows into their order. Called once, after the last pipeline.
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

  /// Orders the rows, and leaves out those after the first ``mostRows``; of those at the last moment all or none.
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
    // What was cut later is not the reason any more.
    cut.removeAll { $0.after >= last }
  }
}

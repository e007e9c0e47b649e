import PipelineLanguage
import PluginHost
import RunHistory
import Values

/// The runs that a controller of a pipeline will request, as far as it knows them in advance.
package struct ControllerForecast: Sendable {
  /// One instant.
  package struct Instant: Sendable, Hashable {
    /// The time of the instant.
    package var at: RecordTime
    /// The local time in its zone.
    package var localTime: String?
    /// Whether no run is requested, because a change of the clocks skips this time.
    package var isSkipped: Bool
    /// A note about times that are skipped or occur twice.
    package var note: String?
  }

  /// How many instants a plugin is asked for per call: a call has a time limit of one second, even on a busy computer.
  private static let page = 1000

  /// The controller, such as `cron`.
  package var controller: String
  /// The time zone that it uses.
  package var zone: String?
  /// The instants, in order.
  package var instants: [Instant] = []
  /// Whether there are more than were requested.
  package var hasMore = false
  /// Why they are unknown; nil if they are known.
  package var unknown: String?

  /// Returns the forecasts of a pipeline's controllers, with the defaults of its params. The calling thread waits for plugins.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline, checked.
  ///   - plugins: The source of its plugins.
  ///   - after: Only instants after it.
  ///   - until: Only instants not after it.
  ///   - limit: The maximum number of instants of each controller, the earliest first.
  /// - Returns: One for each controller, in the order of the file; empty if it has none.
  package static func all(
    of pipeline: PipelineDefinition, plugins: PluginSource, after: RecordTime, until: RecordTime, limit: Int
  ) -> [ControllerForecast] {
    guard !pipeline.controllers.isEmpty else { return [] }
    var parameters: [String: JSONValue] = [:]
    for parameter in pipeline.parameters { parameters[parameter.name] = parameter.defaultValue }
    let run = RunProgress(
      id: .generate(), pipeline: pipeline, parameters: parameters, workspace: "", runnable: \.runnable)
    let input: JSONValue = ["pipeline": .string(pipeline.name), "directory": .string(pipeline.source.directory)]
    return pipeline.controllers.map { controller in
      let use = controller.use
      var forecast = ControllerForecast(controller: use.offer)
      do {
        try forecast.ask(use, of: pipeline, plugins, RunContexts(run: run), input, after, until, limit)
      } catch let failure as OperationFailure {
        forecast.unknown = failure.message
      } catch let failure as PluginFailure {
        forecast.unknown = failure.message
      } catch let error as PluginError {
        forecast.unknown = error.message
      } catch {
        forecast.unknown = "\(error)"
      }
      return forecast
    }
  }

  private mutating func ask(
    _ use: PluginUse, of pipeline: PipelineDefinition, _ plugins: PluginSource, _ contexts: borrowing RunContexts,
    _ input: JSONValue, _ after: RecordTime, _ until: RecordTime, _ limit: Int
  ) throws {
    let notKnown = "'\(use.offer)' does not know its instants in advance"
    guard use.plugin != HTTPPlugin.id, let catalog = plugins.catalog else {
      unknown = notKnown
      return
    }
    let plugin = try catalog.plugin(use.plugin, pipeline.plugins[use.plugin] ?? PluginReference())
    let offer = try plugin.offer(use.offer, .controller)
    let settings = try use.settings(for: offer, in: contexts)
    var at = after.nanoseconds
    while !hasMore || instants.count < limit {
      let question = InstantsQuestion(
        input: input, after: at, until: until.nanoseconds, limit: min(limit - instants.count, Self.page))
      guard let answer = try plugin.instants(of: offer, settings: settings, question) else {
        unknown = notKnown
        return
      }
      zone = answer.zone
      hasMore = answer.hasMore
      instants += answer.instants.map {
        Instant(
          at: RecordTime(microseconds: $0.microseconds), localTime: $0.localTime, isSkipped: $0.isSkipped, note: $0.note
        )
      }
      guard hasMore, let last = instants.last else { return }
      at = last.at.nanoseconds
    }
  }
}

extension RecordTime {
  /// Nanoseconds since 1970, as plugins use them; the last instant that fits into 64 bits is in 2262.
  fileprivate var nanoseconds: Int64 {
    let (product, overflows) = microseconds.multipliedReportingOverflow(by: 1000)
    return overflows ? (microseconds < 0 ? .min : .max) : product
  }
}

// The Swift code of Documentation/writing-plugins.md; a test compares the two.
import PluginKit

enum WeatherPlugin: Plugin {
  static let id = "weather"
  static let version = "1.0.0"
  static let summary = "What the weather is like"
  static let offers: [Offer] = [
    .operation("weather.report", "The temperature at a place", Report.init(settings:)),
    .operation("weather.average", "The average of some temperatures", Average()),
    .controller("weather.hourly", "Runs the pipeline at each full hour", Hourly()),
    .specification("weather.warm", "Satisfied while it is warm", Warm.init(settings:)),
  ]
}

struct Report: OperationRequest {
  struct Settings: PluginSettings {
    @Setting("Where") var place: String
    @Setting("In which unit") var unit: Unit = .celsius
    @Setting("How long to wait for the station") var patience: Duration = .seconds(10)
  }

  enum Unit: String, CaseIterable, PluginValue { case celsius, fahrenheit }

  struct Weather: PluginValue {
    var place: String
    var degrees: Double
    var at: Timestamp
  }

  let settings: Settings

  func run(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Weather, any Error>
  ) async throws -> Weather {
    guard settings.place != "nowhere" else {
      throw PluginProblem("no-station", "there is no station at '\(settings.place)'", retryAfter: .seconds(60))
    }
    context.pluginLog.info("asking the station", ["place": .string(settings.place)])
    let degrees = settings.unit == .celsius ? 21.5 : 70.7
    return Weather(place: settings.place, degrees: degrees, at: context.pluginClock.now())
  }
}

struct Average: RequirementOperation {
  func run(
    isolation: isolated (any Actor)?, with temperatures: [Double], in context: OperationContext,
    with continuation: OperationContinuation<Double, PluginProblem>
  ) async throws(PluginProblem) -> Double {
    guard !temperatures.isEmpty else { throw PluginProblem("no-values", "there is nothing to average") }
    return temperatures.reduce(0, +) / Double(temperatures.count)
  }
}

struct Hourly: TaskController {
  func run(with controls: PluginControls<JSONValue>) async throws {
    let clock = controls.context.pluginClock
    while true {
      let hour = Timestamp(seconds: (clock.now().seconds / 3600 + 1) * 3600)
      try await clock.sleep(until: hour)
      controls.rerun(reason: "it is \(hour.notation)", at: hour)
    }
  }
}

extension Hourly: PredictableController {
  func instants(in span: PlannedSpan, input: PluginInput) throws -> PlannedInstants? {
    let first = span.after.seconds / 3600 + 1
    let hours = first..<max(first, span.until.seconds / 3600 + 1)
    return PlannedInstants(
      zone: "UTC", hours.prefix(span.limit).map { PlannedInstant(Timestamp(seconds: $0 * 3600)) },
      hasMore: hours.count > span.limit)
  }
}

struct Warm: OperationRunSpecification {
  struct Settings: PluginSettings {
    @Setting("From how many degrees on") var from: Double = 20
  }

  let settings: Settings

  func isSatisfied(in context: OperationContext) -> Bool { Station.shared.degrees >= settings.from }

  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    Station.shared.observe { _ in onChange() }
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    SpecificationDescription(
      formula: "weather.warm", reason: "it has \(Station.shared.degrees) degrees",
      isSatisfied: isSatisfied(in: context))
  }
}

import PipelineLanguage
import RunHistory
import Schedules
import Values

/// A pipeline file as shown by `penstock list`: its own description, and its history.
struct CatalogEntry {
  /// The path of the file, as a command takes it.
  let path: String
  /// The checked pipeline; nil if the file has errors.
  let pipeline: PipelineDefinition?
  /// The number of errors in the file.
  let errors: Int
  /// The latest run of a pipeline of that name.
  let latestRun: RunRecord?

  /// The params; a star marks those that are required.
  var parameters: String {
    (pipeline?.parameters ?? []).map { $0.name + ($0.defaultValue == nil ? "*" : "") }.joined(separator: " ")
  }

  /// Returns when the first of its schedules is due after `now`, in whole seconds since 1970; nil if it has no schedule whose settings are literals.
  func next(after now: UnixTime) -> UnixTime? {
    (pipeline?.controllers ?? []).compactMap { Self.next(of: $0.use, after: now) }.min()
  }

  /// Its controllers other than schedules.
  var otherControllers: [String] { (pipeline?.controllers ?? []).map(\.use.offer).filter { $0 != "cron" } }

  private static func next(of use: PluginUse, after now: UnixTime) -> UnixTime? {
    guard use.offer == "cron" else { return nil }
    var texts: [String: String] = [:]
    for (name, value) in use.settings {
      if case .literal(.string(let text)) = value { texts[name] = text }
    }
    guard let schedule = texts["schedule"], let expression = try? CronExpression(schedule),
      let rules = try? TimeZoneDatabase.system.zone(texts["zone"] ?? "UTC")
    else { return nil }
    return expression.next(after: now, in: rules)
  }

  func jsonValue(now: UnixTime) -> JSONValue {
    let latest: JSONValue =
      latestRun.map { run in
        [
          "id": .string(run.id.text), "state": .string(run.state.rawValue),
          "started_at": run.startedAt.map { .string($0.text) } ?? .null,
        ]
      } ?? .null
    let parameters = (pipeline?.parameters ?? []).map { parameter -> JSONValue in
      [
        "name": .string(parameter.name), "type": .string(parameter.type.description),
        "required": .bool(parameter.defaultValue == nil), "default": parameter.defaultValue ?? .null,
        "description": parameter.description.map { .string($0) } ?? .null,
      ]
    }
    return [
      "file": .string(path), "pipeline": pipeline.map { .string($0.name) } ?? .null,
      "description": pipeline?.description.map { .string($0) } ?? .null, "params": .array(parameters),
      "labels": .object(
        .init(
          uniqueKeysWithValues: (pipeline?.labels ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }
        )),
      "controllers": .array((pipeline?.controllers ?? []).map { .string($0.use.offer) }), "last_run": latest,
      "next": next(after: now).map { .string(TimeZoneRules.utc.format($0)) } ?? .null,
      "errors": .int(Int64(errors)),
    ]
  }
}

import PipelineLanguage
import RunHistory
import Values

extension RunRecord {
  /// Creates the record of a run that is about to begin.
  init(of pipeline: PipelineDefinition, _ brief: RunBrief, _ configuration: HostConfiguration, at time: RecordTime) {
    self.init(of: pipeline, id: brief.id, brief.options, configuration, at: time)
    parent = brief.parent
  }

  /// Creates the record of a run that is not nested in an operation.
  init(
    of pipeline: PipelineDefinition, id: RunID, _ options: RunOptions, _ configuration: HostConfiguration,
    at time: RecordTime
  ) {
    self.init(
      id: id, pipeline: pipeline.name, definitionHash: pipeline.source.hash, path: pipeline.source.absolutePath,
      trigger: options.trigger, host: configuration.hostName, user: configuration.user, version: options.version,
      createdAt: time)
    labels = options.labels ?? pipeline.labels
    controller = options.controller
    event = options.event.map(\.text)
    instant = options.instant
  }
}

extension RunOptions {
  /// Creates the options of an existing run from its record.
  init(recorded run: RunRecord) {
    self.init()
    version = run.version
    trigger = run.trigger
    labels = run.labels
    controller = run.controller
    event = run.event.map { JSONValue(recorded: $0) }
    instant = run.instant
    selection = run.origin.selection
    isForced = run.origin.isForced
    source = run.origin.source
    parameters =
      (try? JSONValue.parse(run.params))?.objectValue.map {
        Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) })
      } ?? [:]
  }
}

extension PipelineDefinition {
  /// Returns the params of a run as they are recorded: a JSON object in the order of the file.
  func recordedParameters(_ values: [String: JSONValue]) -> String {
    JSONValue.object(.init(uniqueKeysWithValues: parameters.map { ($0.name, values[$0.name] ?? .null) })).text
  }
}

import PipelineLanguage
import RunHistory
import Values

extension RunRecord {
  /// The record of a run that is about to be created.
  init(of pipeline: PipelineDefinition, _ brief: RunBrief, _ configuration: HostConfiguration, at time: RecordTime) {
    self.init(of: pipeline, id: brief.id, brief.options, configuration, at: time)
    parent = brief.parent
  }

  /// The same for one that no operation starts.
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
  /// The options of a run that was created before, as they were recorded.
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
  /// The params of a run as its record has them: a JSON object in the order of the file.
  func recordedParameters(_ values: [String: JSONValue]) -> String {
    JSONValue.object(.init(uniqueKeysWithValues: parameters.map { ($0.name, values[$0.name] ?? .null) })).text
  }
}

import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// What a host is begun with: which pipelines it serves, within which limits, and what becomes of runs when it ends and begins.
package struct ServerConfiguration: Sendable {
  /// Files and folders of pipelines, absolute.
  package var paths: [String]
  /// Where the workspace is.
  package var location: WorkspaceLocation
  /// The host of the runs.
  package var service: RunService.Configuration
  /// How many runs may go on at once.
  package var runs = 8
  /// How many runs of each queue, for those that have a limit of their own.
  package var queues: [String: Int] = [:]
  /// How many runs may be queued.
  package var queued = 100_000
  /// What becomes of interrupted runs of pipelines that do not say.
  package var onRestart = RestartPolicy.resume
  /// How long operations may take to end when the host is drained.
  package var drain = Duration.seconds(600)
  /// Whether it waits for another host to end.
  package var isStandby = false
  /// The version of the program.
  package var version: String
  /// How long a file must be left alone before it is read.
  package var settling = Duration.milliseconds(100)

  package init(paths: [String], location: WorkspaceLocation, service: RunService.Configuration, version: String) {
    self.paths = paths
    self.location = location
    self.service = service
    self.version = version
  }
}

extension ServerConfiguration {
  /// What people and programs can know of it.
  var json: JSONValue {
    .object([
      "paths": .array(paths.map { .string($0) }), "limits": ["runs": JSONValue(runs), "queued": JSONValue(queued)],
      "queues": .object(
        .init(uniqueKeysWithValues: queues.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })),
      "on_restart": .string(onRestart.rawValue), "drain": .string(DurationNotation.format(drain)),
    ])
  }
}

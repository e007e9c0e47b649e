import PipelineLanguage
import PipelineService
import RunHistory
import Values

/// The configuration with which a host starts: the pipelines that it serves, its limits, and what happens to runs when it ends and starts.
package struct ServerConfiguration: Sendable {
  /// Files and folders of pipelines, absolute.
  package var paths: [String]
  /// The location of the workspace.
  package var location: WorkspaceLocation
  /// The host of the runs.
  package var service: RunService.Configuration
  /// The limits on runs.
  package var limits = Limits()
  /// What the host learns from the computer.
  package var computer = Computer()
  /// What happens to interrupted runs of pipelines without their own `on_restart`.
  package var onRestart = RestartPolicy.resume
  /// How long operations may take to end when the host is drained.
  package var drain = Duration.seconds(600)
  /// Whether it waits for another host to end.
  package var isStandby = false
  /// The program that serves.
  package var program: Program
  /// The host as its file describes it, against which pipelines are checked. Default: a host without a file.
  package private(set) var definition = HostDefinition()
  /// Why the current file of the host is not in effect; nil if it is.
  package private(set) var problem: String?
  /// The variables of the host itself, of which processes inherit those that ``definition`` allows. Default nil: they inherit all.
  package var variables: [String: String]?
  /// Reads the file of the host and searches the paths to serve again. Default nil: there is no file.
  package var read: (@Sendable () -> Reading)?

  /// The limits on runs. The limits on processes and resources belong to the service.
  package struct Limits: Sendable {
    /// How many runs may be active at once.
    package var runs = 8
    /// How many runs of each queue may be active at once, for queues with their own limit.
    package var queues: [String: Int] = [:]
    /// How many runs may be queued.
    package var queued = 100_000
  }

  /// What a host learns from the computer; tests can replace it.
  package struct Computer: Sendable {
    /// The name of the network file system of a workspace; nil if it is on a local one.
    package var networkFileSystem: @Sendable (WorkspaceLocation) -> String? = { $0.networkFileSystem }
    /// Reads the names in a folder of pipelines.
    package var folderNames: PipelineFiles.Names = PipelineFiles.system
    /// How long a file must be unchanged before it is read.
    package var settling = Duration.milliseconds(100)
  }

  /// The program that serves, for people and for the record of the host.
  package struct Program: Sendable {
    package var version: String
    /// The command that starts this host again from any directory, as a person would type it.
    package var command = HostRecord.plainCommand
  }

  /// The result of reading the file of a host.
  package enum Reading: Sendable {
    /// Its content, the paths to serve, and warnings.
    case valid(HostDefinition, paths: [String], warnings: String?)
    /// Its errors.
    case invalid(String)
  }

  package init(paths: [String], location: WorkspaceLocation, service: RunService.Configuration, version: String) {
    self.paths = paths
    self.location = location
    self.service = service
    program = Program(version: version)
  }
}

extension ServerConfiguration {
  /// - Throws: ``ServerError`` if no host may serve the workspace.
  func requireLocalWorkspace() throws(ServerError) {
    if let name = computer.networkFileSystem(location) { throw .onNetwork(name, workspace: location.path) }
  }

  /// Applies the file of a host. Call it before the host starts.
  package mutating func use(_ definition: HostDefinition) {
    take(definition)
    service.capacity.processes = definition.limits.processes
    service.capacity.resources = Dictionary(definition.resources.map { ($0.name, $0.capacity) }) { first, _ in first }
    guard let variables else { return }
    service.environment = definition.environment.variables(of: variables)
    service.secretEnvironment = variables
  }

  /// Applies the settings that can change while a host runs. Those that cannot are reported with the state of the host until its end.
  ///
  /// - Returns: A sentence about those, for people; nil if none has changed.
  mutating func change(to next: HostDefinition, paths: [String]) -> String? {
    let former = definition
    var kept: [String] = []
    if next.workspace != former.workspace { kept.append("'workspace'") }
    if next.limits.processes != former.limits.processes { kept.append("'processes' of 'limits'") }
    let capacities = { (host: HostDefinition) in
      Dictionary(host.resources.map { ($0.name, $0.capacity) }) { first, _ in first }
    }
    if capacities(next) != capacities(former) { kept.append("'resources'") }
    var next = next
    (next.workspace, next.limits.processes) = (former.workspace, former.limits.processes)
    // Pipelines are checked against the resources that exist.
    next.resources = former.resources
    self.paths = paths
    let sentence =
      kept.isEmpty ? nil : "\(kept.joined(separator: ", ")) changed; this takes effect when the host is restarted"
    problem = sentence
    take(next)
    return sentence
  }

  /// Notes that the file has errors, of which the first line is reported with the state of the host.
  mutating func refuse(because findings: String) {
    let first = findings.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? findings
    problem = "the configuration is invalid; the previous one stays in effect: \(first)"
  }

  private mutating func take(_ definition: HostDefinition) {
    self.definition = definition
    limits.runs = definition.limits.runs
    limits.queued = definition.limits.queued
    limits.queues = Dictionary(definition.queues.map { ($0.name, $0.runs) }) { first, _ in first }
    onRestart = definition.onRestart
    drain = definition.drain
  }

  /// The variables that processes inherit while pipelines are loaded that read secrets from variables, which are not passed on. Nil if processes inherit all.
  func environment(hiding secrets: Set<String>) -> [String: String]? {
    variables.map { definition.environment.variables(of: $0.filter { !secrets.contains($0.key) }) }
  }

  /// The configuration for people and programs; `problems` are its own and those of the paths that it names. The values of variables that it sets are private.
  func json(problems: [String] = []) -> JSONValue {
    let environment = definition.environment
    return .object([
      "paths": .array(paths.map { .string($0) }),
      "limits": [
        "runs": JSONValue(limits.runs), "processes": JSONValue(definition.limits.processes),
        "queued": JSONValue(limits.queued),
      ],
      "queues": .object(
        .init(uniqueKeysWithValues: limits.queues.sorted { $0.key < $1.key }.map { ($0.key, JSONValue($0.value)) })),
      "resources": .object(.init(uniqueKeysWithValues: definition.resources.map { ($0.name, JSONValue($0.capacity)) })),
      "environment": [
        "pass": .array(environment.pass.map { .string($0) }),
        "set": .array(environment.set.keys.sorted().map { .string($0) }),
      ],
      "on_restart": .string(onRestart.rawValue), "drain": .string(DurationNotation.format(drain)),
      "retention": definition.retention.map { retention in
        [
          "keep": JSONValue(retention.keep),
          "older_than": JSONValue(retention.olderThan.map(DurationNotation.format)),
        ]
      } ?? .null,
      "command": .string(program.command),
      "problems": .array(((problem.map { [$0] } ?? []) + problems).map { .string($0) }),
    ])
  }
}

extension RunService.Configuration {
  /// The same for a host, which keeps what it cannot write in memory and reports it.
  func holding(telling failures: WriteFailureTeller, _ log: HostLog) -> Self {
    var configuration = self
    configuration.patience = PipelineServer.longestWait
    configuration.writing.policy = .holdUsual
    configuration.writing.onFailure = { failures.failed($0) }
    configuration.writing.onRecovery = { failures.recovered($0) }
    configuration.writing.onShortage = { shortage in
      let others = shortage.others == 0 ? "" : "; so do \(shortage.others) other attempts"
      log.tell(
        .error, "run-waits",
        "run \(shortage.run) of '\(shortage.pipeline)' waits until \(shortage.operation.map { "'\($0)'" } ?? "it") can continue: \(shortage.error)\(others)",
        pipeline: shortage.pipeline, run: shortage.run, operation: shortage.operation)
    }
    return configuration
  }
}

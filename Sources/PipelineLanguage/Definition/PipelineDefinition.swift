import Expressions
import PluginHost
import Values

/// A pipeline that has been read and checked: an immutable value, ready to be planned and run.
public struct PipelineDefinition: Sendable {
  /// The origin of a definition.
  public struct Source: Sendable, Hashable {
    /// The path of the file, as the user named it.
    public var path: String
    /// The absolute directory of the file, from which its relative paths start.
    public var directory: String
    /// The text of the file.
    public var text: String
    /// SHA-256 of the text, in lower-case hexadecimal.
    public var hash: String

    /// The absolute path of the file.
    public var absolutePath: String {
      path.hasPrefix("/") ? path : "\(directory)/\(path.split(separator: "/").last.map(String.init) ?? path)"
    }

    /// Creates an origin.
    public init(path: String, directory: String, text: String, hash: String) {
      self.path = path
      self.directory = directory
      self.text = text
      self.hash = hash
    }
  }

  /// How operations are ordered in addition to their references.
  public enum Order: String, Sendable, CaseIterable {
    /// Only by their dependencies.
    case graph
    /// Each operation needs the one before it.
    case chain
  }

  /// What happens when the pipeline is started while another run of it is active in the same workspace.
  public enum Overlap: String, Sendable, CaseIterable {
    /// Both run.
    case allow
    /// The new run waits.
    case queue
    /// The new run is not started.
    case skip
    /// The active run is cancelled.
    case cancel
  }

  /// Which runs of the pipeline may be deleted: those that are neither among the latest nor recent.
  public struct Retention: Sendable, Hashable {
    /// The number of latest runs to keep; nil for none.
    public var keep: Int?
    /// The minimum age of a run, from its creation; nil for any age.
    public var olderThan: Duration?

    /// Creates a retention; without a number or a duration, it keeps everything.
    public init(keep: Int? = nil, olderThan: Duration? = nil) {
      self.keep = keep
      self.olderThan = olderThan
    }
  }

  /// A typed value that is passed when the pipeline is started.
  public struct Parameter: Sendable {
    /// The name in `params.name` and `-p name=value`.
    public var name: String
    /// The type of its value.
    public var type: ValueType
    /// The value if none is passed; without a default, the parameter is required.
    public var defaultValue: JSONValue?
    /// The file under `params_file` that supplied `defaultValue`, as written there; nil for the default of the declaration.
    package var defaultFile: String?
    /// The description, for people.
    public var description: String?
    /// The minimum of a number; nil means no limit.
    public var minimum: Double?
    /// The maximum of a number; nil means no limit.
    public var maximum: Double?
    /// The allowed values; nil means any.
    public var choices: [JSONValue]?
    /// A regular expression that must match the whole of a string.
    ///
    /// Matched in linear time; ``ParameterResolver`` checks it.
    public var pattern: String?
    /// The place of the name.
    public var range: SourceRange
  }

  /// A secret, which is read when the run starts.
  public struct Secret: Sendable {
    /// The source of a secret.
    public enum Origin: Sendable, Hashable {
      /// The environment variable of this name.
      case environment(String)
      /// The file at this path, without one trailing line break.
      case file(String)
      /// The standard output of this argument list, run without a shell.
      case command([String])
    }
    /// The name in `secrets.name`.
    public var name: String
    /// The source from which it is read.
    public var origin: Origin
    /// The place of the name.
    public var range: SourceRange
  }

  /// A named condition.
  public struct Specification: Sendable {
    /// The name that conditions use.
    public var name: String
    /// The condition it stands for.
    public var formula: SpecificationFormula
    /// How long the condition must have been true before the specification is.
    public var hold: Duration?
    /// The place of the name.
    public var range: SourceRange
  }

  /// A plugin's controller, which runs the pipeline under `serve` or `run --watch`.
  public struct Controller: Sendable {
    /// The offer, and its settings.
    public var use: PluginUse
    /// The place of the offer's id.
    public var range: SourceRange
  }

  /// The events that trigger handlers under `after`.
  public enum Event: String, Sendable, CaseIterable {
    case success, failure, cancel, always
  }

  /// The file.
  public var source: Source
  /// The name of the pipeline in messages and the history; by default, the file's name.
  public var name: String
  /// The purpose of the pipeline, for people.
  public var description: String?
  /// The labels by which its runs can be found, besides its name.
  public var labels: [String: String] = [:]
  /// The parameters, in file order.
  public var parameters: [Parameter] = []
  /// The environment variables of every process, and the context `env`, in file order.
  ///
  /// Their templates refer only to `params`, `secrets` and `run`.
  public var environment: [(name: String, value: Template)] = []
  /// The secrets, in file order.
  public var secrets: [Secret] = []
  /// The maximum number of operations that run at once; nil means the number of processors.
  public var concurrency: Int?
  /// How operations are ordered in addition to their references. The operations' dependencies already reflect it.
  public var order: Order = .graph
  /// What happens when another run of it is active.
  public var overlap: Overlap = .allow
  /// How a host queues and restarts its runs.
  public var scheduling = PipelineScheduling()
  /// Which of its runs `prune` deletes by default; nil for none.
  public var retention: Retention?
  /// The time limit of the whole run.
  public var timeout: Duration?
  /// The resources that operations can take, with their capacities.
  public var resources: [(name: String, capacity: Int)] = []
  /// The specifications, in file order; conditions refer to them by position.
  public var specifications: [Specification] = []
  /// The plugin entries of the file, by id. Paths are absolute.
  public var plugins: [String: PluginReference] = [:]
  /// The controllers, in file order.
  public var controllers: [Controller] = []
  /// The condition under which the pipeline may run automatically; nil, the default, always allows it.
  public var automatic: SpecificationFormula?
  /// The condition that runs the pipeline again whenever it becomes true.
  public var rerunOnChange: SpecificationFormula?
  /// The condition on the latest success under which the pipeline runs automatically.
  public var staleWhen: SpecificationFormula?
  /// The operations, in file order.
  public var operations: [OperationDefinition] = []
  /// The handlers, in the order of `Event.allCases`, then in file order.
  public var handlers: [(event: Event, operation: OperationDefinition)] = []
  /// The texts of the files that it includes, directly or indirectly, by absolute path.
  package var included: [String: String] = [:]
  /// The pipelines that its operations run, by the path written in the file.
  public var nested: [String: PipelineDefinition] = [:]
  /// What a run records of the files under `params_file` and `env_file`: the texts of files of params by absolute path, and hashes of variables by keys of
  /// ``VariableHashes``.
  package var settingTexts: [String: String] = [:]
  /// The result types of operations whose `value` determines them, by position, for pipelines that run this one. Empty if they are too large to
  /// be useful.
  var valueTypes: [Int: ValueType] = [:]
  /// The exclusive names that its operations take, for the checks of pipelines that run this one.
  var exclusiveUse = ExclusiveUse()
  /// What it requires of a host, with the places, for the checks of a host.
  var hostUse = HostUse()
  /// The places outside operations where it would show a secret, for the checks of pipelines that run this one.
  var shownPlaces: [ShownPlace] = []
  /// What could not be read, if the file has errors and the definition only serves the checks of pipelines that run it.
  var gaps: Gaps?
}

extension PipelineDefinition {
  /// What could not be read of a pipeline whose file has errors.
  struct Gaps: Sendable {
    /// Whether there may be further params.
    var parameters: Bool
    /// Whether there may be further operations.
    var operations: Bool
  }
}

import Expressions
import PluginHost
import Values

/// A pipeline that has been read and checked: an immutable value, ready to be planned and run.
public struct PipelineDefinition: Sendable {
  /// Where the definition came from.
  public struct Source: Sendable, Hashable {
    /// The path of the file, as the user named it.
    public var path: String
    /// The directory that relative paths in the file start from: the file's own, absolute.
    public var directory: String
    /// The whole text.
    public var text: String
    /// SHA-256 of the text, in lower-case hexadecimal.
    public var hash: String

    /// The absolute path of the file.
    public var absolutePath: String {
      path.hasPrefix("/") ? path : "\(directory)/\(path.split(separator: "/").last.map(String.init) ?? path)"
    }

    /// A definition's origin.
    public init(path: String, directory: String, text: String, hash: String) {
      self.path = path
      self.directory = directory
      self.text = text
      self.hash = hash
    }
  }

  /// How operations are ordered beyond what they refer to.
  public enum Order: String, Sendable, CaseIterable {
    /// Only by their dependencies.
    case graph
    /// Each operation needs the one before it.
    case chain
  }

  /// What happens when the pipeline is started while another run of it is going on in the same workspace.
  public enum Overlap: String, Sendable, CaseIterable {
    /// Both run.
    case allow
    /// The new run waits.
    case queue
    /// The new run is not started.
    case skip
    /// The run that is going on is cancelled.
    case cancel
  }

  /// Which runs of the pipeline may be deleted: those that are neither among the latest ones nor young.
  public struct Retention: Sendable, Hashable {
    /// How many of the latest runs are kept; nil for none in particular.
    public var keep: Int?
    /// How long ago a run must have been created; nil for any time.
    public var olderThan: Duration?

    /// A retention; with neither number nor duration it keeps everything.
    public init(keep: Int? = nil, olderThan: Duration? = nil) {
      self.keep = keep
      self.olderThan = olderThan
    }
  }

  /// A typed value given when the pipeline is started.
  public struct Parameter: Sendable {
    /// What `params.name` and `-p name=value` call it.
    public var name: String
    /// The type that its value has.
    public var type: ValueType
    /// Taken when none is given; without one the parameter must be given.
    public var defaultValue: JSONValue?
    /// The file under `params_file` that gave `defaultValue`, as it is written there; nil for the default of the declaration.
    package var defaultFile: String?
    /// What it means, for people.
    public var description: String?
    /// The smallest number allowed, when not nil.
    public var minimum: Double?
    /// The largest number allowed, when not nil.
    public var maximum: Double?
    /// The only values allowed, when not nil.
    public var choices: [JSONValue]?
    /// A regular expression that the whole of a string must match.
    ///
    /// Matched in linear time: see ``ParameterResolver`` for who checks it.
    public var pattern: String?
    /// Where its name is written.
    public var range: SourceRange
  }

  /// Where a secret is read from when the run starts.
  public struct Secret: Sendable {
    /// The one place that a secret is read from.
    public enum Origin: Sendable, Hashable {
      /// The environment variable of this name.
      case environment(String)
      /// The file at this path; one line break at its end is not part of the secret.
      case file(String)
      /// The standard output of this argument list, run without a shell.
      case command([String])
    }
    /// What `secrets.name` calls it.
    public var name: String
    /// Where it is read from.
    public var origin: Origin
    /// Where its name is written.
    public var range: SourceRange
  }

  /// A name for a condition on the world.
  public struct Specification: Sendable {
    /// What formulas call it.
    public var name: String
    /// What it stands for.
    public var formula: SpecificationFormula
    /// How long the formula must have been true for the specification to be.
    public var hold: Duration?
    /// Where its name is written.
    public var range: SourceRange
  }

  /// A plugin's controller that runs the pipeline while somebody watches.
  public struct Controller: Sendable {
    /// What it is, and its settings.
    public var use: PluginUse
    /// Where its id is written.
    public var range: SourceRange
  }

  /// The moments that handlers under `after` answer to.
  public enum Event: String, Sendable, CaseIterable {
    case success, failure, cancel, always
  }

  /// The file.
  public var source: Source
  /// What the pipeline is called in messages and in the history: the file's name unless it says otherwise.
  public var name: String
  /// What it is for, for people.
  public var description: String?
  /// What its runs are found by beside its name.
  public var labels: [String: String] = [:]
  /// What can be given when it is started, in the order of the file.
  public var parameters: [Parameter] = []
  /// Environment variables of every process, in the order of the file, and the `env` context.
  ///
  /// Their templates name `params`, `secrets` and `run` only.
  public var environment: [(name: String, value: Template)] = []
  /// The secrets, in the order of the file.
  public var secrets: [Secret] = []
  /// How many operations may run at once; nil means the number of processors.
  public var concurrency: Int?
  /// How operations are ordered beyond what they refer to. The dependencies of the operations follow it already.
  public var order: Order = .graph
  /// What happens when another run of it is going on.
  public var overlap: Overlap = .allow
  /// How a host queues and restarts its runs.
  public var scheduling = PipelineScheduling()
  /// Which of its runs may be deleted when nothing else is asked of `prune`; nil for none.
  public var retention: Retention?
  /// Bounds the whole run.
  public var timeout: Duration?
  /// What operations can ask for under `resources`, with how much of it there is.
  public var resources: [(name: String, capacity: Int)] = []
  /// The specifications, in the order of the file; formulas name them by their positions.
  public var specifications: [Specification] = []
  /// What the file says of plugins, by their ids. Paths are absolute.
  public var plugins: [String: PluginReference] = [:]
  /// The controllers, in the order of the file.
  public var controllers: [Controller] = []
  /// While it is true, the pipeline may run without being asked; nil, the default, always allows that.
  public var automatic: SpecificationFormula?
  /// Runs the pipeline again whenever it turns true.
  public var rerunOnChange: SpecificationFormula?
  /// Without being asked, the pipeline runs only when this is true of its latest success.
  public var staleWhen: SpecificationFormula?
  /// The operations, in the order of the file.
  public var operations: [OperationDefinition] = []
  /// Handlers, in the order of `Event.allCases`, then of the file.
  public var handlers: [(event: Event, operation: OperationDefinition)] = []
  /// The texts of the files that it includes, directly or not, by their absolute paths.
  package var included: [String: String] = [:]
  /// Pipelines that operations of this one run, by the path written in the file.
  public var nested: [String: PipelineDefinition] = [:]
  /// What a run records of the files that `params_file` and `env_file` name: the texts of files of params by their absolute paths, and hashes of variables by
  /// keys of ``VariableHashes``.
  package var settingTexts: [String: String] = [:]
  /// The types of the results of operations whose `value` shows it, by their positions: known to those who run the pipeline.
  /// Empty where they would be too large to be of use.
  var valueTypes: [Int: ValueType] = [:]
  /// The exclusive names that its operations take, for the checks of those who run the pipeline.
  var exclusiveUse = ExclusiveUse()
  /// What it wants of a host, with its places, for the checks of a host.
  var hostUse = HostUse()
  /// Where it would show a secret outside of its operations, for the checks of those who run it.
  var shownPlaces: [ShownPlace] = []
  /// What could not be read, where its file has errors and it only serves the checks of those who run it.
  var gaps: Gaps?
}

extension PipelineDefinition {
  /// What could not be read of a pipeline whose file has errors.
  struct Gaps: Sendable {
    /// Whether there may be other params than those that are known.
    var parameters: Bool
    /// Whether there may be other operations.
    var operations: Bool
  }
}

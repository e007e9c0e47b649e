import Expressions
import Values

/// One operation of a checked pipeline.
public struct OperationDefinition: Sendable {
  /// How the requirement is passed to the operation.
  public enum Injection: Sendable {
    case none
    /// The value of this template, on standard input; for a plugin, as the requirement itself.
    case automatic(Template)
    /// Each value in the environment variable of its name; for a plugin, in the object member of that name.
    case named([(name: String, value: Template)])
  }

  /// How failures are retried. `limit` counts retries, so `limit: 2` means up to three attempts.
  public struct Retry: Sendable {
    /// How the delay grows from one retry to the next.
    public enum Backoff: String, Sendable, CaseIterable { case constant, linear, exponential, fibonacci, decorrelated }
    /// How a delay is randomized.
    public enum Jitter: String, Sendable, CaseIterable { case none, full, equal }
    /// A kind of failure that `on` lists.
    public enum Cause: Sendable, Hashable {
      /// The process ended with this code, 1 to 255.
      case exitCode(Int)
      /// The process was terminated by the signal of this name, such as `SIGKILL`.
      case signal(String)
      /// The attempt exceeded `timeout`.
      case timeout
      /// The response had this status.
      case status(Int)
      /// A stable error code, such as `result-mismatch`.
      case error(String)
    }
    /// The maximum number of retries after the first attempt.
    public var limit: Int = 0
    /// How the delay grows.
    public var backoff: Backoff = .exponential
    /// The first delay.
    public var base: Duration = .seconds(1)
    /// The maximum delay.
    public var maximum: Duration = .seconds(60)
    /// How a delay is randomized.
    public var jitter: Jitter = .full
    /// The time limit of all attempts together.
    public var deadline: Duration?
    /// The failures that are retried; empty means all.
    public var on: [Cause] = []
    /// The conditions that end a delay between two attempts when one of them becomes true.
    public var early: [SpecificationFormula] = []

    /// Creates a value without retries.
    public init() {}
  }

  /// Holds an operation back until a condition is true.
  public struct Gate: Sendable {
    /// What happens to an operation whose gate does not open in time.
    public enum Otherwise: String, Sendable, CaseIterable { case wait, skip, fail }
    /// The condition that must be true.
    public var formula: SpecificationFormula
    /// With `wait`, the operation waits, and fails when ``waitAtMost`` has elapsed. With `skip` or `fail`, it is skipped or fails: when
    /// ``waitAtMost`` has elapsed, or at once if that is nil.
    public var otherwise: Otherwise = .wait
    /// The maximum time to wait.
    public var waitAtMost: Duration?

    /// Creates a gate that waits without limit.
    public init(formula: SpecificationFormula) {
      self.formula = formula
    }
  }

  /// Repeats an action after it succeeded.
  public struct Repeat: Sendable {
    /// The condition that ends the repetition; it sees the latest result as `results.<own name>`.
    public var until: Expression?
    /// The pause between two rounds.
    public var every: Duration
    /// The maximum number of rounds, including the first; nil means no limit.
    public var limit: Int?
  }

  /// The lists of a `matrix`, and the changes to their combinations.
  public struct Matrix: Sendable {
    /// The lists, in file order: the last one varies fastest.
    public var lists: [(name: String, values: DataTemplate)] = []
    /// A list of mappings; combinations that have all values of one of them are left out.
    public var exclude: DataTemplate?
    /// A list of mappings that extend combinations or become new ones.
    public var include: DataTemplate?

    /// All data in the matrix, with the name of each part.
    package var parts: [(name: String, data: DataTemplate)] {
      var parts = lists.map { (name: $0.name, data: $0.values) }
      if let exclude { parts.append(("exclude", exclude)) }
      if let include { parts.append(("include", include)) }
      return parts
    }
  }

  /// Runs an action once for each item.
  public struct Loop: Sendable {
    /// The source of the items.
    public enum Source: Sendable {
      /// A list that is computed when the operation starts.
      case list(DataTemplate)
      /// The combinations of named lists.
      case matrix(Matrix)
    }
    /// The source of the items.
    public var source: Source
    /// The context that contains the item: `item`, or the name under `as`.
    public var itemName: String
    /// The maximum number of items that run at once; nil means only the run's own limit.
    public var concurrency: Int?
    /// The label by which an item is shown; nil means its value.
    public var label: Template?
    /// Whether running items are cancelled when the loop ends early.
    public var failFast: Bool = false
    /// The number of failed items after which no more are started; nil means no limit, or one with ``failFast``.
    public var maxFailures: Int?

    /// The number of failed items at which the loop ends early; nil means that it never does.
    package var failureLimit: Int? { maxFailures ?? (failFast ? 1 : nil) }
  }

  /// The name, which is unique among the pipeline's operations and handlers.
  public var name: String
  /// The purpose of the operation, for people.
  public var description: String?
  /// The position among the pipeline's operations (or handlers).
  public var index: Int
  /// The action.
  public var action: Action
  /// The positions of the operations that this one depends on: `needs`, and every operation that its expressions name. Ascending, without duplicates.
  public var dependencies: [Int] = []
  /// How the requirement is passed to the operation.
  public var injection: Injection = .none
  /// The type of the requirement.
  public var requires: ValueType?
  /// The declared type of the action's result (of one item in a loop); nil means text, or JSON if it is an object or a list.
  public var result: ValueType?
  /// The condition without which the operation is skipped; nil means `success()`.
  public var condition: Expression?
  /// The gate, which holds the operation back after its dependencies have ended and its condition is true.
  public var gate: Gate?
  /// How failures are retried.
  public var retry = Retry()
  /// Repeats the action after it succeeded.
  public var repetition: Repeat?
  /// The time limit of one attempt.
  public var timeout: Duration?
  /// The time between SIGTERM and SIGKILL, and the time that a plugin has to end.
  public var grace: Duration = .seconds(10)
  /// Whether the run can succeed even if this operation fails.
  public var allowFailure: Bool = false
  /// Runs the action once for each item.
  public var loop: Loop?
  /// A name that only one operation in the workspace may hold at a time.
  public var exclusive: Template?
  /// The amounts of the pipeline's `resources` that it needs, by position.
  public var resources: [(resource: Int, amount: Int)] = []
  /// The process's environment variables in addition to the pipeline's, including those of `defaults`.
  public var environment: [(name: String, value: Template)] = []
  /// The process's working directory; nil means the directory of the pipeline file.
  public var directory: Template?
  /// The files that are kept after the process ends, in file order.
  public var artifacts: [Artifact] = []
  /// The shell and its arguments for `run`; the script is appended as the last argument.
  public var shell: [String] = ["/bin/sh", "-e", "-c"]
  /// Where the process runs, and what it needs there; nil for this computer.
  public var executor: ExecutorUse?
  /// The standard input of the process, unless a value is injected there.
  public var stdin: Template?
  /// The age below which a success with the same fingerprint is reused.
  public var staleAfter: Duration?
  /// The condition that must be false for a success with the same fingerprint to be reused. With ``staleAfter``, neither may call it stale.
  public var staleWhen: SpecificationFormula?
  /// A hash of the operation's definition in the file, if an earlier success may be reused; otherwise nil.
  package var contentHash: String?
  /// Whether a secret can reach the operation, so that its output must be masked.
  public var receivesSecret: Bool = false
  /// The places where it would show a secret, for the checks of pipelines that run this one.
  var shownPlaces: [ShownPlace] = []
  /// The dependencies without whose result this operation cannot run. The others may end without a result.
  public var requiredResults: Set<Int> = []
  /// The place of the name.
  public var range: SourceRange
  /// The range of the whole definition.
  public var extent: SourceRange

  /// Whether `when` is evaluated regardless of the outcome of its dependencies, direct and indirect.
  public var isAskedAnyway: Bool { condition?.looksAtOutcomes ?? false }

  /// Creates an operation with only an action.
  public init(name: String, index: Int, action: Action, range: SourceRange) {
    self.name = name
    self.index = index
    self.action = action
    self.range = range
    extent = range
  }
}

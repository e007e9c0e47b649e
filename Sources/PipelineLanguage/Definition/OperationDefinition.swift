import Expressions
import Values

/// One operation of a checked pipeline.
public struct OperationDefinition: Sendable {
  /// How the requirement arrives.
  public enum Injection: Sendable {
    case none
    /// The value of this template, on standard input; for a plugin, the requirement itself.
    case automatic(Template)
    /// Each value in the environment variable of its name; for a plugin, in the member of an object.
    case named([(name: String, value: Template)])
  }

  /// How failures are tried again. `limit` counts retries, so `limit: 2` means up to three attempts.
  public struct Retry: Sendable {
    /// How the delay grows from one retry to the next.
    public enum Backoff: String, Sendable, CaseIterable { case constant, linear, exponential, fibonacci, decorrelated }
    /// How much of a delay is left to chance.
    public enum Jitter: String, Sendable, CaseIterable { case none, full, equal }
    /// One kind of failure that `on` admits.
    public enum Cause: Sendable, Hashable {
      /// The process ended with this code, 1 to 255.
      case exitCode(Int)
      /// The process was ended by the signal of this name, such as `SIGKILL`.
      case signal(String)
      /// The attempt took longer than `timeout`.
      case timeout
      /// The response had this status.
      case status(Int)
      /// A stable error code, such as `result-mismatch`.
      case error(String)
    }
    /// How many times after the first attempt.
    public var limit: Int = 0
    /// How the delay grows.
    public var backoff: Backoff = .exponential
    /// The first delay.
    public var base: Duration = .seconds(1)
    /// The longest delay.
    public var maximum: Duration = .seconds(60)
    /// How much of a delay is left to chance.
    public var jitter: Jitter = .full
    /// Bounds all attempts together.
    public var deadline: Duration?
    /// Empty admits every failure.
    public var on: [Cause] = []
    /// A wait between two attempts ends when one of these turns true.
    public var early: [SpecificationFormula] = []

    /// No retries.
    public init() {}
  }

  /// Holds the operation back until a specification is true.
  public struct Gate: Sendable {
    /// What becomes of an operation whose gate does not open in time.
    public enum Otherwise: String, Sendable, CaseIterable { case wait, skip, fail }
    /// What must be true.
    public var formula: SpecificationFormula
    /// With `wait` it waits, and fails when ``waitAtMost`` is over. With `skip` or `fail` it is skipped or fails: at
    /// once, or when
    /// ``waitAtMost`` is over.
    public var otherwise: Otherwise = .wait
    /// How long it waits.
    public var waitAtMost: Duration?

    /// A gate that waits without limit.
    public init(formula: SpecificationFormula) {
      self.formula = formula
    }
  }

  /// Runs the action again after it succeeded.
  public struct Repeat: Sendable {
    /// Stops when it turns true; sees the latest result as `results.<own name>`.
    public var until: Expression?
    /// The pause between two runs of the action.
    public var every: Duration
    /// The most times the action runs, the first included; nil means without limit.
    public var limit: Int?
  }

  /// The lists of a `matrix`, and what changes their combinations.
  public struct Matrix: Sendable {
    /// The lists, in the order of the file: the last name varies fastest.
    public var lists: [(name: String, values: DataTemplate)] = []
    /// A list of mappings: combinations that have all the values of one of them are left out.
    public var exclude: DataTemplate?
    /// A list of mappings that extend combinations, or become new ones.
    public var include: DataTemplate?

    /// All data in it, with the name under which it stands.
    package var parts: [(name: String, data: DataTemplate)] {
      var parts = lists.map { (name: $0.name, data: $0.values) }
      if let exclude { parts.append(("exclude", exclude)) }
      if let include { parts.append(("include", include)) }
      return parts
    }
  }

  /// Runs the action once for each item.
  public struct Loop: Sendable {
    /// Where the items come from.
    public enum Source: Sendable {
      /// A list to be computed when the operation starts.
      case list(DataTemplate)
      /// The combinations of named lists.
      case matrix(Matrix)
    }
    /// Where the items come from.
    public var source: Source
    /// The context that holds the item: `item`, or the name under `as`.
    public var itemName: String
    /// How many items run at once; nil means only the run's own limit.
    public var concurrency: Int?
    /// What an item is called where it is shown; nil means by its value.
    public var label: Template?
    /// Whether items that are running are cancelled when the loop ends early.
    public var failFast: Bool = false
    /// How many items may fail before no further ones begin; nil means any number, or one with ``failFast``.
    public var maxFailures: Int?

    /// How many failed items end the loop early; nil means that none do.
    package var failureLimit: Int? { maxFailures ?? (failFast ? 1 : nil) }
  }

  /// What others call it: unique in the pipeline, also among its handlers.
  public var name: String
  /// What it is for, for people.
  public var description: String?
  /// The position among the pipeline's operations (or handlers).
  public var index: Int
  /// What it does.
  public var action: Action
  /// Positions of the operations that this one depends on: `needs`, and every operation its expressions name.
  /// Ascending, without repeats.
  public var dependencies: [Int] = []
  /// How its requirement arrives.
  public var injection: Injection = .none
  /// The type that the requirement must have.
  public var requires: ValueType?
  /// The declared type of the result of one run of the action (of one item in a loop); nil means text, or
  /// JSON if it is an object or a list.
  public var result: ValueType?
  /// The operation is skipped unless this is true; nil means `success()`.
  public var condition: Expression?
  /// Holds it back, once its dependencies have ended and its condition is true.
  public var gate: Gate?
  /// How failures are tried again.
  public var retry = Retry()
  /// Runs the action again after it succeeded.
  public var repetition: Repeat?
  /// Bounds one attempt.
  public var timeout: Duration?
  /// How long after SIGTERM comes SIGKILL, and how long a plugin has to end.
  public var grace: Duration = .seconds(10)
  /// Whether the run can succeed though this fails.
  public var allowFailure: Bool = false
  /// Runs the action once for each item.
  public var loop: Loop?
  /// A name that only one operation on the workspace may hold at a time.
  public var exclusive: Template?
  /// Positions in the pipeline's `resources`, with how much of each is needed.
  public var resources: [(resource: Int, amount: Int)] = []
  /// Environment variables of the process beside the pipeline's own, those of `defaults` included.
  public var environment: [(name: String, value: Template)] = []
  /// Where a process starts; nil means the directory of the pipeline file.
  public var directory: Template?
  /// What is kept of the files that the process leaves behind, in the order of the file.
  public var artifacts: [Artifact] = []
  /// The shell and its arguments for `run`; the script is appended as one more argument.
  public var shell: [String] = ["/bin/sh", "-e", "-c"]
  /// What the process reads on standard input, unless something is injected there.
  public var stdin: Template?
  /// A success of the same fingerprint younger than this is taken over.
  public var staleAfter: Duration?
  /// A success of the same fingerprint of which this is false is taken over. With ``staleAfter``, one that neither
  /// calls stale.
  public var staleWhen: SpecificationFormula?
  /// A hash of all that the file says of it, where a former success may be taken over; else nil.
  package var contentHash: String?
  /// Whether a secret can reach the operation, so that its output must be masked.
  public var receivesSecret: Bool = false
  /// Where it would show a secret, for the checks of pipelines that run this one.
  var shownPlaces: [ShownPlace] = []
  /// Dependencies whose result is needed: without one this operation cannot run. The others may end without a result.
  public var requiredResults: Set<Int> = []
  /// Where its name is written.
  public var range: SourceRange
  /// Where all of it is written.
  public var extent: SourceRange

  /// Whether its `when` is asked whatever became of what it depends on, near or far.
  public var isAskedAnyway: Bool { condition?.looksAtOutcomes ?? false }

  /// An operation that does `action` and nothing around it.
  public init(name: String, index: Int, action: Action, range: SourceRange) {
    self.name = name
    self.index = index
    self.action = action
    self.range = range
    extent = range
  }
}

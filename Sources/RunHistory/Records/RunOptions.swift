import Values

/// What to run, beyond the pipeline itself.
public struct RunOptions: Sendable {
  /// The operations of a run that are to be executed.
  public enum Selection: Sendable, Hashable {
    /// All of them.
    case all
    /// Those in `from` with everything that depends on them, and those in `only` alone; the rest is reused from `source` if it succeeded there.
    case operations(from: [String], only: [String])

    /// Returns a selection of the operation and everything that depends on it.
    public static func from(operation: String) -> Selection { .operations(from: [operation], only: []) }
    /// Returns a selection of the operation alone.
    public static func only(operation: String) -> Selection { .operations(from: [], only: [operation]) }

    /// Whether operations are to run alone.
    package var isAlone: Bool {
      if case .operations(_, let only) = self { !only.isEmpty } else { false }
    }

    /// Creates a selection of the given operations, or of all if none are given.
    package init(from: [String], only: [String]) {
      self = from.isEmpty && only.isEmpty ? .all : .operations(from: from, only: only)
    }
  }

  /// The value of every parameter, including defaults; see `ParameterResolver`.
  public var parameters: [String: JSONValue] = [:]
  /// The labels of the run. Default nil, for those of its pipeline.
  public var labels: [String: String]?
  /// What started the run.
  public var trigger: RunTrigger = .manual
  /// The controller that started it, if one did.
  public var controller: String?
  /// What that controller reported: `run.event`.
  public var event: JSONValue?
  /// The instant that the run stands for, such as that of a schedule: `run.at`. Default: its start.
  public var instant: RecordTime?
  /// Which operations are executed.
  public var selection: Selection = .all
  /// Whether everything is executed, even if an earlier success could be reused: `stale_when`, `stale_after` and `source` are ignored.
  public var isForced = false
  /// The run whose results are used for operations that are not executed, and whose successes a retry reuses.
  public var source: RunID?
  /// The version of the host, stored with the run.
  public var version: String = ""

  /// Creates options that run everything, by hand.
  public init() {}
}

/// How a run ended.
public struct RunOutcome: Sendable {
  /// A class, because the record of a run is large, and each task through which the outcome passes would keep a copy.
  private final class Storage: Sendable {
    let run: RunRecord
    let results: [String: JSONValue]

    init(run: RunRecord, results: [String: JSONValue]) {
      self.run = run
      self.results = results
    }
  }

  private let storage: Storage

  /// The run as last recorded.
  public var run: RunRecord { storage.run }
  /// The result of each operation that has one, by name, if it is at most 1 MiB.
  public var results: [String: JSONValue] { storage.results }

  package init(run: RunRecord, results: [String: JSONValue]) {
    storage = Storage(run: run, results: results)
  }
}

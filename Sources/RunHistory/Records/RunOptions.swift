import Values

/// What to run, beyond the pipeline itself.
public struct RunOptions: Sendable {
  /// The operations of a run that are to be executed.
  public enum Selection: Sendable, Hashable {
    /// All of them.
    case all
    /// Those under `from` with everything that depends on them, and those under `only` alone; the rest is taken over from `source`, where it succeeded there.
    case operations(from: [String], only: [String])

    /// The named one and everything that depends on it.
    public static func from(operation: String) -> Selection { .operations(from: [operation], only: []) }
    /// The named one alone.
    public static func only(operation: String) -> Selection { .operations(from: [], only: [operation]) }

    /// Whether operations are to run alone.
    package var isAlone: Bool {
      if case .operations(_, let only) = self { !only.isEmpty } else { false }
    }

    /// All operations where nothing is named, else those that are.
    package init(from: [String], only: [String]) {
      self = from.isEmpty && only.isEmpty ? .all : .operations(from: from, only: only)
    }
  }

  /// The value of every parameter, defaults included; see ``ParameterResolver``.
  public var parameters: [String: JSONValue] = [:]
  /// The labels of the run. Default nil, for those of its pipeline.
  public var labels: [String: String]?
  /// What started the run.
  public var trigger: RunTrigger = .manual
  /// The controller that started it, where one did.
  public var controller: String?
  /// What that controller told: `run.event`.
  public var event: JSONValue?
  /// The instant that the run stands for, such as the one that a schedule meant: `run.at`. Default its start.
  public var instant: RecordTime?
  /// Which operations are executed.
  public var selection: Selection = .all
  /// Whether everything is executed, also what a former success could stand in for: neither `stale_when` and `stale_after` nor `source` count.
  public var isForced = false
  /// The run whose results stand in for the operations that are not executed, and whose successes a retry takes over.
  public var source: RunID?
  /// The version of the host, stored with the run.
  public var version: String = ""

  /// Options that run everything, by hand.
  public init() {}
}

/// How a run ended.
public struct RunOutcome: Sendable {
  /// A reference: a record of a run is large, and each task on the way of the outcome to whoever asked would keep a copy.
  private final class Storage: Sendable {
    let run: RunRecord
    let results: [String: JSONValue]

    init(run: RunRecord, results: [String: JSONValue]) {
      self.run = run
      self.results = results
    }
  }

  private let storage: Storage

  /// The run as it was recorded last.
  public var run: RunRecord { storage.run }
  /// The result of each operation that has one, by name, where it is at most 1 MiB.
  public var results: [String: JSONValue] { storage.results }

  package init(run: RunRecord, results: [String: JSONValue]) {
    storage = Storage(run: run, results: results)
  }
}

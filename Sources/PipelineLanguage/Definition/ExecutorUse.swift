import Expressions

/// Where the job of an operation runs, and what it needs there: the key `executor`.
public struct ExecutorUse: Sendable {
  /// What a job needs. The values are as Slurm takes them.
  public enum Setting: String, Sendable, CaseIterable {
    /// Processors, a number.
    case cpus
    /// Memory, in MiB.
    case memory
    /// The time limit, in minutes.
    case time
    /// Accelerators: `2`, or `a100:2`.
    case gpus
    case gres, partition, account, qos, constraint
  }

  /// The executor of operations that name none: a process on the host's computer.
  public static let local = "local"

  /// The name of the executor; nil if none is named.
  public var name: String?
  /// The values of each setting, one for each attempt; the last one stays.
  public var values: [Setting: [String]] = [:]
  /// Values with expressions, by their places in ``values``, where the text is empty until they are computed.
  package private(set) var computed: [Setting: [Int: Template]] = [:]
  /// The places of the settings and of the name, for findings.
  var places: [Setting: HostUse.Place] = [:]
  var place: HostUse.Place?

  /// Creates a use that says nothing.
  public init() {}

  /// Whether the job runs as a process on the host's computer.
  public var isLocal: Bool { name == nil || name == Self.local }

  /// Returns this use with what it leaves open taken from another one.
  func merged(over other: ExecutorUse?) -> ExecutorUse {
    guard let other else { return self }
    var merged = self
    merged.name = name ?? other.name
    merged.place = place ?? other.place
    merged.values = other.values.merging(values) { $1 }
    merged.places = other.places.merging(places) { $1 }
    merged.computed = other.computed.filter { values[$0.key] == nil }.merging(computed) { $1 }
    return merged
  }

  /// Sets the values of a setting, some of which may have expressions.
  mutating func set(_ setting: Setting, _ list: [String], computed templates: [Int: Template]) {
    values[setting] = list
    computed[setting] = templates.isEmpty ? nil : templates
  }

  /// Returns this use with the values that expressions have, which `evaluate` returns for each.
  package func evaluated(_ evaluate: (Setting, Template) throws -> String) rethrows -> ExecutorUse {
    guard !computed.isEmpty else { return self }
    var use = self
    for (setting, templates) in computed {
      for (index, template) in templates { use.values[setting]?[index] = try evaluate(setting, template) }
    }
    use.computed = [:]
    return use
  }

  /// Returns the values for an attempt, with those of the site for what the operation leaves open.
  package func demand(attempt: Int, site: [Setting: [String]]) -> [Setting: String] {
    site.merging(values) { $1 }.compactMapValues { list in
      list.isEmpty ? nil : list[min(max(attempt, 1), list.count) - 1]
    }
  }

  /// Returns the amount that a value stands for, of a setting that can be limited.
  static func amount(_ value: String) -> Int? { value.split(separator: ":").last.flatMap { Int($0) } }
}

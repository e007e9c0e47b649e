import Values

/// The result of one check.
public struct PluginCheckResult: Sendable, Hashable {
  /// The outcome of a check.
  public enum Outcome: Sendable, Hashable {
    case passed
    /// The problems, one sentence each; at least one.
    case failed([String])
    /// The reason why the check could not run.
    case skipped(String)
  }

  /// The rule that was checked.
  public let check: PluginCheck
  /// The id of the offer; nil for the plugin as a whole.
  public let offer: String?
  /// The outcome.
  public let outcome: Outcome
  /// Additional information, such as the number of instances created; may be empty.
  public let note: String
  /// The duration, including the start of its process.
  public let duration: Duration

  /// The result as one JSON object.
  public var json: JSONValue {
    var problems: [JSONValue] = []
    var reason: JSONValue = .null
    let word: String
    switch outcome {
    case .passed: word = "passed"
    case .failed(let texts):
      word = "failed"
      problems = texts.map { .string($0) }
    case .skipped(let text):
      word = "skipped"
      reason = .string(text)
    }
    return .object([
      "check": .string(check.rawValue), "offer": offer.map { .string($0) } ?? .null, "title": .string(check.title),
      "outcome": .string(word), "problems": .array(problems), "reason": reason, "note": .string(note),
      "duration_ms": .int(duration.wholeMilliseconds),
    ])
  }
}

/// The results of all checks of one file.
public struct PluginCheckReport: Sendable, Hashable {
  /// The shared object.
  public let file: String
  /// The plugin's id, if its description could be read.
  public let plugin: String?
  /// The seed, which determines the delays that are tried.
  public let seed: UInt64
  /// The results, in the order of the checks.
  public let results: [PluginCheckResult]
  /// The duration of all checks.
  public let duration: Duration

  /// The number of failed checks.
  public var failures: Int { results.count { if case .failed = $0.outcome { true } else { false } } }
  /// The number of checks that could not run.
  public var skipped: Int { results.count { if case .skipped = $0.outcome { true } else { false } } }
  /// Whether no check failed.
  public var isPassed: Bool { failures == 0 }

  /// The summary as one JSON object.
  public var json: JSONValue {
    .object([
      "file": .string(file), "plugin": plugin.map { .string($0) } ?? .null, "seed": .string(String(seed)),
      "checks": .int(Int64(results.count)), "failed": .int(Int64(failures)), "skipped": .int(Int64(skipped)),
      "duration_ms": .int(duration.wholeMilliseconds),
    ])
  }
}

extension Duration {
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}

import Values

/// What came of one check.
public struct PluginCheckResult: Sendable, Hashable {
  /// What a check can come to.
  public enum Outcome: Sendable, Hashable {
    case passed
    /// What is wrong, a sentence each; at least one.
    case failed([String])
    /// Why it could not be made.
    case skipped(String)
  }

  /// The rule that was looked at.
  public let check: PluginCheck
  /// The id of the offer; nil for the plugin as a whole.
  public let offer: String?
  /// What came of it.
  public let outcome: Outcome
  /// What is worth knowing beside the outcome, such as how many instances were made; may be empty.
  public let note: String
  /// How long it took, with the start of its process.
  public let duration: Duration

  /// As one JSON object.
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

/// What came of all checks of one file.
public struct PluginCheckReport: Sendable, Hashable {
  /// The shared object.
  public let file: String
  /// The plugin's id, where its description could be read.
  public let plugin: String?
  /// With the same seed the same delays are tried.
  public let seed: UInt64
  /// In the order in which they were made.
  public let results: [PluginCheckResult]
  /// How long all of them took.
  public let duration: Duration

  /// How many failed.
  public var failures: Int { results.count { if case .failed = $0.outcome { true } else { false } } }
  /// How many could not be made.
  public var skipped: Int { results.count { if case .skipped = $0.outcome { true } else { false } } }
  /// Whether none failed.
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

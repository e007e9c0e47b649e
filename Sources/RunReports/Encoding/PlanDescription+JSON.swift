import Expressions
import PipelineLanguage
import Values

extension PlanDescription.Step {
  /// Returns what a run would do with one operation, as JSON.
  package func jsonValue() -> JSONValue {
    var source: JSONValue = .null
    var cause: JSONValue = .null
    let word: String
    switch disposition {
    case .runs: word = "runs"
    case .runsAgain(let why):
      word = "runs"
      cause = .string(why)
    case .takenOverUnless(let run, let dependencies):
      word = "taken-over-if-same"
      source = .string(run.text)
      cause = .array(dependencies.map { .string($0) })
    case .skipped, .skippedWith: word = "skipped"
    case .takenOver(let run):
      word = "taken-over"
      source = .string(run.text)
    case .leftOut: word = "left-out"
    case .mayBeReused(let run, _):
      word = "may-be-reused"
      source = .string(run.text)
    }
    return .object([
      "operation": .string(definition.name), "action": .string(definition.actionKind),
      "after": event.map { .string($0.rawValue) } ?? .null, "level": .int(Int64(level)),
      "disposition": .string(word), "source": source, "because": cause,
      "items": items.map {
        .object([
          "again": .array($0.again.map { .string($0) }), "taken_over": JSONValue($0.takenOver),
          "because": JSONValue($0.cause),
        ])
      } ?? .null,
      "needs": .array(needs.map { .string($0) }),
      "inputs": .array(
        inputs.map { given in
          .object([
            "arrives": .string(given.input.arrival.text), "source": .string(given.input.source),
            "operations": .array(given.input.operations.map { .string($0) }), "value": given.value ?? .null,
          ])
        }), "retry_limit": .int(Int64(definition.retry.limit)),
      "retry_early": .array(definition.retry.early.map { .string($0.text) }),
      "when": definition.condition.map { .string($0.text) } ?? .null,
      "run_when": definition.gate.map(Self.json) ?? .null,
      "stale_after_ms": definition.staleAfter.map(Self.milliseconds) ?? .null,
      "stale_when": definition.staleWhen.map { .string($0.text) } ?? .null, "value": value ?? .null,
    ])
  }

  private static func json(_ gate: OperationDefinition.Gate) -> JSONValue {
    .object([
      "formula": .string(gate.formula.text), "otherwise": .string(gate.otherwise.rawValue),
      "wait_at_most_ms": gate.waitAtMost.map(milliseconds) ?? .null,
    ])
  }

  private static func milliseconds(_ duration: Duration) -> JSONValue { .int(duration.wholeMicroseconds / 1000) }
}

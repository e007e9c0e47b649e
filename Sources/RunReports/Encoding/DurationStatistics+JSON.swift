import RunHistory
import Values

extension DurationStatistics {
  /// The members of ``jsonValue()`` that are CSV columns, in order.
  package static let columns = [
    "pipeline", "operation", "count", "succeeded", "failed", "average_ms", "p50_ms", "p95_ms", "max_ms", "retried",
  ]

  /// Returns the durations of one operation or pipeline as JSON, with their trend over time.
  package func jsonValue() -> JSONValue {
    func number(_ value: Double?) -> JSONValue { value.map { .double($0) } ?? .null }
    return .object([
      "pipeline": .string(pipeline), "operation": JSONValue(operation), "count": JSONValue(count),
      "succeeded": JSONValue(succeeded), "failed": JSONValue(failed), "average_ms": number(averageMilliseconds),
      "p50_ms": number(p50Milliseconds), "p95_ms": number(p95Milliseconds), "max_ms": number(maximumMilliseconds),
      "retried": JSONValue(retried),
      "trend": .array(
        trend.map { slice in
          .object([
            "from": .string(slice.from.text), "count": JSONValue(slice.count),
            "succeeded": JSONValue(slice.succeeded), "failed": JSONValue(slice.failed),
            "p50_ms": number(slice.p50Milliseconds),
          ])
        }),
    ])
  }
}

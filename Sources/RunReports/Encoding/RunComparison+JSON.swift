import OrderedCollections
import RunHistory
import Values

extension RunComparison {
  /// Returns the comparison as an object. Values that are the same in both runs are omitted.
  package func jsonValue() -> JSONValue {
    .object([
      "first": .string(first.id.text), "second": .string(second.id.text), "same": .bool(isSame),
      "run": Self.object(run) { $0 == "event" }, "params": Self.object(params) { _ in true },
      "variables": .array(
        variables.map {
          .object([
            "name": .string($0.name), "file": .string($0.file), "change": .string($0.kind.rawValue),
          ])
        }),
      "definition": Self.lines(definition),
      "duration_ms": .array([first, second].map { $0.durationMilliseconds.map { .double($0) } ?? .null }),
      "operations": .array(
        operations.map { operation in
          var object: OrderedDictionary<String, JSONValue> = ["operation": .string(operation.name)]
          if let label = operation.label { object["label"] = .string(label) }
          for difference in operation.differences {
            object[difference.name] = Self.pair(difference, isJSON: difference.name == "result")
          }
          object["duration_ms"] = .array(
            [operation.firstDuration, operation.secondDuration].map { $0.map { .double($0) } ?? .null })
          for log in operation.logs { object[log.stream] = Self.lines(log.lines) }
          return .object(object)
        }),
    ])
  }

  private static func object(_ differences: [Difference], isJSON: (String) -> Bool) -> JSONValue {
    .object(
      OrderedDictionary(uniqueKeysWithValues: differences.map { ($0.name, pair($0, isJSON: isJSON($0.name))) }))
  }

  /// Returns the two values; recorded JSON texts are parsed. The description of a result in a file is not JSON and stays a string.
  private static func pair(_ difference: Difference, isJSON: Bool) -> JSONValue {
    .array([difference.first, difference.second].map { isJSON ? JSONValue(recorded: $0) : JSONValue($0) })
  }

  private static func lines(_ difference: LineDifference) -> JSONValue {
    guard !difference.isEmpty else { return .null }
    return .object([
      "removed": JSONValue(difference.removed), "added": JSONValue(difference.added),
      "lines": .array(difference.text.map { .string($0) }),
    ])
  }
}

extension LineDifference {
  /// The lines in the format of `diff -u`: each begins with `-`, `+` or a space.
  package var text: [String] {
    lines.map { line in
      switch line {
      case .common(let text): " " + text
      case .removed(let text): "-" + text
      case .added(let text): "+" + text
      case .omitted(let count): "… \(count) the same"
      }
    }
  }
}

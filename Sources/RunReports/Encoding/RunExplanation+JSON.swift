import Values

extension RunExplanation {
  /// Returns an object for each entry.
  package func jsonValues() -> [JSONValue] {
    entries.map { entry in
      .object([
        "run": .string(run.id.text), "operation": JSONValue(entry.operation), "label": JSONValue(entry.label),
        "state": .string(entry.state),
        "because": .array(entry.because.map { .string($0) }), "remedies": .array(entry.remedies.map { .string($0) }),
      ])
    }
  }
}

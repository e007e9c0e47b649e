import RunHistory
import Values

/// Large results of recorded runs, parsed before the run that reuses them begins: parsing them on the event loop would delay all runs of the host.
///
/// Small results are not kept here; they are parsed on demand.
struct ParsedResults: Sendable {
  private var values: [RunID: [Int: JSONValue]] = [:]

  /// Creates an empty set.
  init() {}

  /// Parses the large results of operations. This may take long, so it must be called off the event loop.
  init(of operations: some Sequence<OperationRecord>) {
    for operation in operations {
      guard case .inline(let text) = operation.result, text.utf8.count > BlockingWork.large,
        let value = try? JSONValue.parse(text)
      else { continue }
      values[operation.run, default: [:]][operation.ordinal] = value
    }
  }

  /// Adds the results of further runs.
  mutating func add(_ others: ParsedResults) { values.merge(others.values) { first, _ in first } }

  /// Returns the result of an operation, or nil if it is small or missing.
  subscript(operation: OperationRecord) -> JSONValue? { values[operation.run]?[operation.ordinal] }
}

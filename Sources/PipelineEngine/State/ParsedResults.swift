import RunHistory
import Values

/// Large results of recorded runs, parsed before the run that takes them over begins: parsing them on the event loop would hold up all runs of the host.
///
/// Small ones are not kept here; they are parsed where they are wanted.
struct ParsedResults: Sendable {
  private var values: [RunID: [Int: JSONValue]] = [:]

  /// Nothing.
  init() {}

  /// Those of operations. Takes as long as parsing takes, so that it belongs beside the loop.
  init(of operations: some Sequence<OperationRecord>) {
    for operation in operations {
      guard case .inline(let text) = operation.result, text.utf8.count > BlockingWork.large,
        let value = try? JSONValue.parse(text)
      else { continue }
      values[operation.run, default: [:]][operation.ordinal] = value
    }
  }

  /// Adds those of further runs.
  mutating func add(_ others: ParsedResults) { values.merge(others.values) { first, _ in first } }

  /// The result of an operation; nil where it is small, or none.
  subscript(operation: OperationRecord) -> JSONValue? { values[operation.run]?[operation.ordinal] }
}

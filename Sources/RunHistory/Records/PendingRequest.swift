/// What a person or another process asks of the host of a run.
package struct PendingRequest: Sendable {
  /// The number of its row.
  let number: Int64
  package let run: RunID
  package let kind: RunRequest
  /// Who asks; nil where that was not said.
  package let canceller: RunCanceller?
  /// The ordinal of the operation that it is about; nil for the whole run.
  package let operation: Int?
}

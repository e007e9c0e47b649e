/// A request of a person or another process to the host of a run.
package struct PendingRequest: Sendable {
  /// The number of its row.
  let number: Int64
  package let run: RunID
  package let kind: RunRequest
  /// The requester; nil if not specified.
  package let canceller: RunCanceller?
  /// The ordinal of the operation that it concerns; nil for the whole run.
  package let operation: Int?
}

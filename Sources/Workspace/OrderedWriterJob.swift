import SQLite

/// Work that runs at its position between the changes.
struct OrderedWriterJob: Sendable {
  /// The result of a job in a transaction that is not committed yet.
  struct Done: Sendable {
    /// The types whose objects were changed; nil if unknown.
    let types: ChangedTypes?
    /// Notifies the job's caller, once the transaction is committed.
    let tell: @Sendable () -> Void
  }

  let run: @Sendable (Database) throws -> Done
  let fail: @Sendable (any Error) -> Void
}

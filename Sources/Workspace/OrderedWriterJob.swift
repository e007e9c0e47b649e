import SQLite

/// Work that runs at its place between the changes.
struct OrderedWriterJob: Sendable {
  /// What it has done in a transaction that is not committed yet.
  struct Done: Sendable {
    /// Of which types it has changed objects; nil where nobody knows.
    let types: ChangedTypes?
    /// Tells whoever waits for it, once that is committed.
    let tell: @Sendable () -> Void
  }

  let run: @Sendable (Database) throws -> Done
  let fail: @Sendable (any Error) -> Void
}

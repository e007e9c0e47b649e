/// One row before and after a change.
struct RowChange: Sendable {
  let key: ObjectKey
  /// All columns before; nil if the row is new.
  let old: [SQLValue]?
  /// All columns after; nil if the row is gone.
  let new: [SQLValue]?
}

/// What a transaction has changed, as far as somebody may want to know.
struct CommitRecord: Sendable {
  /// The rows of types that were subscribed to when the transaction began.
  var rows: [ObjectIdentifier: [RowChange]] = [:]
  /// Other types of which something has changed.
  var types: Set<ObjectIdentifier> = []
  /// Something was changed that nobody took down: by another process, or with SQL.
  var isUnknown = false

  static let unknown = CommitRecord(isUnknown: true)
}

/// A change of a table that is not an addition. Fields and indexes that are merely added need none.
///
/// Migrations are numbered by their place in ``ObjectSchema``'s list, and never edited once released. A table that is new gets the
/// declared form at once, without them. They run before fields are added, all in the transaction that opens the workspace.
public struct ObjectMigration: Sendable {
  enum Step: Sendable {
    case rename(from: String, to: String)
    case remove(String)
    case sql(String)
  }

  let step: Step

  /// The field has another name now. Does nothing in a file that never had the old one.
  public static func rename(_ old: String, to new: String) -> ObjectMigration {
    ObjectMigration(step: .rename(from: old, to: new))
  }

  /// The field, its values and the indexes over it are gone. Does nothing in a file that never had it.
  public static func remove(_ field: String) -> ObjectMigration {
    ObjectMigration(step: .remove(field))
  }

  /// One or more SQL statements. They meet the table in any form that it had since the migration before.
  public static func sql(_ sql: String) -> ObjectMigration {
    ObjectMigration(step: .sql(sql))
  }
}

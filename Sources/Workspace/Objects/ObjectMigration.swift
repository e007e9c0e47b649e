/// A change of a table that is not an addition. Fields and indexes that are merely added need no migration.
///
/// Migrations are numbered by their position in ``ObjectSchema``'s list, and never edited once released. A new table gets the declared form immediately,
/// without them. They run before fields are added, all in the transaction that opens the workspace.
public struct ObjectMigration: Sendable {
  enum Step: Sendable {
    case rename(from: String, to: String)
    case remove(String)
    case sql(String)
  }

  let step: Step

  /// Renames a field. Does nothing in a file that never had the old one.
  public static func rename(_ old: String, to new: String) -> ObjectMigration {
    ObjectMigration(step: .rename(from: old, to: new))
  }

  /// Removes a field, its values and the indexes over it. Does nothing in a file that never had it.
  public static func remove(_ field: String) -> ObjectMigration {
    ObjectMigration(step: .remove(field))
  }

  /// Runs one or more SQL statements. They must handle any form that the table has had since the previous migration.
  public static func sql(_ sql: String) -> ObjectMigration {
    ObjectMigration(step: .sql(sql))
  }
}

/// What a user of ``OpenWorkspace`` stores in it: an identity and numbered migrations.
///
/// A released migration is never edited; a change of the schema is a new migration with the next number.
public struct WorkspaceSchema: Sendable {
  /// A step from schema `number - 1` to `number`.
  public struct Migration: Sendable {
    /// The number of the migration, from 1 without gaps.
    public let number: Int
    /// One or more SQL statements. They run in one transaction with all other pending migrations.
    public var sql: String { makeSQL() }
    private let makeSQL: @Sendable () -> String

    /// Creates a migration. `sql` is only evaluated if the migration must run.
    public init(number: Int, sql: @autoclosure @escaping @Sendable () -> String) {
      self.number = number
      makeSQL = sql
    }
  }

  /// The `PRAGMA application_id` of every file with this schema, which `file(1)` and the check at opening read.
  public let applicationID: Int32
  /// The migrations, in order of their numbers.
  public let migrations: [Migration]
  /// The initial content of a new file, which is faster than running all migrations; nil runs them.
  public let template: WorkspaceTemplate?
  /// Whether a file is refused for writing if it belongs to another user, or its schema contains anything that is not part of this one, which would run
  /// with every write.
  public let isGuarded: Bool
  /// The directories beside the database in which the schema's user keeps files. A guarded file is also refused for writing if one of them belongs to
  /// another user or is not a directory.
  public let folders: [String]
  /// The types whose objects are stored. Their tables are created and extended after the migrations.
  public let objects: [any Storable.Type]
  /// The types over tables that the migrations create. Their objects can be fetched, changed and subscribed to like any others; opening a workspace
  /// neither creates nor compares their tables.
  public let mapped: [any Storable.Type]

  /// Creates a schema. The numbers of `migrations` must be 1, 2, 3 ….
  public init(
    applicationID: Int32, migrations: [Migration] = [], template: WorkspaceTemplate? = nil,
    objects: [any Storable.Type] = [], mapped: [any Storable.Type] = [], isGuarded: Bool = false, folders: [String] = []
  ) {
    precondition(migrations.indices.allSatisfy { migrations[$0].number == $0 + 1 }, "migrations are numbered 1, 2, 3 …")
    self.applicationID = applicationID
    self.migrations = migrations
    self.template = template
    self.objects = objects
    self.mapped = mapped
    self.isGuarded = isGuarded
    self.folders = folders
  }

  /// The number that `PRAGMA user_version` has once every migration has run.
  ///
  /// The workspace's own tables have migrations as well: the thousands count those, the rest counts the schema's.
  public var version: Int {
    WorkspaceTables.migrations.count * 1000 + migrations.count
  }
}

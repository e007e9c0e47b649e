/// What a user of ``OpenWorkspace`` keeps in it: an identity and numbered migrations.
///
/// A migration that has been released is never edited; a change of the schema is a new migration with the next number.
public struct WorkspaceSchema: Sendable {
  /// One step from schema `number - 1` to `number`.
  public struct Migration: Sendable {
    /// 1 for the first one, and so on without gaps.
    public let number: Int
    /// One or more SQL statements. They run in one transaction with all other pending migrations.
    public var sql: String { makeSQL() }
    private let makeSQL: @Sendable () -> String

    /// Creates a migration. Its text is only made where it has to run.
    public init(number: Int, sql: @autoclosure @escaping @Sendable () -> String) {
      self.number = number
      makeSQL = sql
    }
  }

  /// What `PRAGMA application_id` says of every file with this schema; `file(1)` and the opening check look at it.
  public let applicationID: Int32
  /// The migrations, in order of their numbers.
  public let migrations: [Migration]
  /// What a new file begins as, which is quicker than to run all migrations; nil runs them.
  public let template: WorkspaceTemplate?
  /// Whether a file is refused for writing that belongs to another user, or whose schema has anything that this one has not made. What is in it would be
  /// executed by whoever writes.
  public let isGuarded: Bool
  /// The directories beside the database in which the schema's user keeps files. A guarded file is refused for writing also where one of them belongs to
  /// another user or is not a directory.
  public let folders: [String]
  /// The types whose objects are kept. Their tables are created and extended after the migrations.
  public let objects: [any Storable.Type]
  /// The types over tables that the migrations make. Their objects are fetched, changed and followed as any others; opening a workspace neither creates nor
  /// compares their tables.
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

  /// The number that `PRAGMA user_version` has when every migration has run.
  ///
  /// The workspace's own tables have migrations as well: thousands count those, the rest counts the schema's.
  public var version: Int {
    WorkspaceTables.migrations.count * 1000 + migrations.count
  }
}

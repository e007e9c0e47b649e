import SQLite

/// The untyped part of what a transaction needs for objects of one type.
@usableFromInline
class RowWork {
  @usableFromInline let type: ObjectIdentifier
  @usableFromInline let code: RowCode
  let statements: TypeStatements
  let db: Database
  /// Whether the old value of a changed object is needed.
  @usableFromInline let needsOld: Bool

  init(_ type: any Storable.Type, _ statements: TypeStatements, _ db: Database, needsOld: Bool) {
    self.type = ObjectIdentifier(type)
    self.statements = statements
    self.db = db
    self.needsOld = needsOld
    code = statements.code
  }
}

/// What a transaction needs for objects of one type.
@usableFromInline
final class TypeWork<T: Storable>: RowWork {
  @usableFromInline let core: SchemaCore<T>
  /// Where changes are recorded; nil without subscribers.
  @usableFromInline let changes: TypeChanges<T>?

  init(
    _ core: SchemaCore<T>, _ statements: TypeStatements, _ db: Database, changes: TypeChanges<T>?, needsOld: Bool
  ) {
    self.core = core
    self.changes = changes
    super.init(T.self, statements, db, needsOld: needsOld)
  }
}

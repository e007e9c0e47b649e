import SQLite

/// What is at hand for objects of one type during a transaction, as far as that needs no type.
@usableFromInline
class RowWork {
  @usableFromInline let type: ObjectIdentifier
  @usableFromInline let code: RowCode
  let statements: TypeStatements
  let db: Database
  /// Whether somebody needs to know what an object was before.
  @usableFromInline let needsOld: Bool

  init(_ type: any Storable.Type, _ statements: TypeStatements, _ db: Database, needsOld: Bool) {
    self.type = ObjectIdentifier(type)
    self.statements = statements
    self.db = db
    self.needsOld = needsOld
    code = statements.code
  }
}

/// What is at hand for objects of one type during a transaction.
@usableFromInline
final class TypeWork<T: Storable>: RowWork {
  @usableFromInline let core: SchemaCore<T>
  /// Where changes are taken down; nil if nobody has subscribed.
  @usableFromInline let changes: TypeChanges<T>?

  init(
    _ core: SchemaCore<T>, _ statements: TypeStatements, _ db: Database, changes: TypeChanges<T>?, needsOld: Bool
  ) {
    self.core = core
    self.changes = changes
    super.init(T.self, statements, db, needsOld: needsOld)
  }
}

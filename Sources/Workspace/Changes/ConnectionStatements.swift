import CLibSQLite
import SQLite

/// The writer connection's statements for changes, prepared once. The connection would look them up by their SQL for each object, which takes longer than
/// an insert.
///
/// Used only on the connection's queue, which makes the unchecked conformance sound.
final class ConnectionStatements: @unchecked Sendable {
  let row = RowWriter()
  /// Whether the connection caches the statements, for later objects of this class.
  private let areKept: Bool
  private var types: [ObjectIdentifier: TypeStatements] = [:]
  private var transaction: (begin: RowStatement, commit: RowStatement)?

  init(areKept: Bool = false) {
    self.areKept = areKept
  }

  func statements(for type: any Storable.Type, _ code: RowCode) -> TypeStatements {
    let id = ObjectIdentifier(type)
    if let known = types[id] { return known }
    let new = TypeStatements(code, areKept: areKept)
    types[id] = new
    return new
  }

  /// Begins a transaction.
  func begin(_ db: Database) throws {
    try control(db).begin.run()
  }

  func commit(_ db: Database) throws {
    try control(db).commit.run()
  }

  /// Must be called before the connection is closed.
  func clear() {
    types = [:]
    transaction = nil
  }

  private func control(_ db: Database) throws -> (begin: RowStatement, commit: RowStatement) {
    if let transaction { return transaction }
    let new = (
      begin: try RowStatement("BEGIN IMMEDIATE", in: db, isOften: false),
      commit: try RowStatement("COMMIT", in: db, isOften: false)
    )
    transaction = new
    return new
  }
}

/// The statements for objects of one type. A returned statement is valid until ``ConnectionStatements/clear()``, or until the next call of ``update(_:_:)``.
final class TypeStatements {
  let code: RowCode
  private let areKept: Bool
  private var inserting: StatementPointer?
  private var selecting: StatementPointer?
  private var deleting: StatementPointer?
  /// Keeps these three statements alive.
  private var held: [RowStatement] = []
  /// The update statements by the mask of the columns that they assign.
  private var updating: [UInt64: RowStatement] = [:]
  private var lastUpdating: (mask: UInt64, statement: StatementPointer)?

  init(_ code: RowCode, areKept: Bool) {
    self.code = code
    self.areKept = areKept
  }

  func insert(_ db: Database) throws -> StatementPointer {
    if let inserting { return inserting }
    let new = try prepare(code.statements.insert, db)
    inserting = new
    return new
  }

  func select(_ db: Database) throws -> StatementPointer {
    if let selecting { return selecting }
    let new = try prepare(code.statements.select, db)
    selecting = new
    return new
  }

  /// Releases the row that was selected last.
  func endSelection() { selecting?.reset() }

  func delete(_ db: Database) throws -> StatementPointer {
    if let deleting { return deleting }
    let new = try prepare(code.statements.delete, db)
    deleting = new
    return new
  }

  private func prepare(_ sql: String, _ db: Database) throws -> StatementPointer {
    let new = try RowStatement(sql, in: db, isOften: areKept)
    held.append(new)
    return new.pointer
  }

  /// Returns the statement that assigns the columns of the mask. Unchanged columns, and therefore the indexes over them, are left out.
  func update(_ mask: UInt64, _ db: Database) throws -> StatementPointer {
    if let lastUpdating, lastUpdating.mask == mask { return lastUpdating.statement }
    let statement: RowStatement
    if let known = updating[mask] {
      statement = known
    } else {
      statement = try RowStatement(code.statements.update(code.columns(of: mask)), in: db, isOften: areKept)
      // A program changes few combinations of fields; one with very many must prepare some again.
      if updating.count >= 64 { updating = [:] }
      updating[mask] = statement
    }
    lastUpdating = (mask, statement.pointer)
    return statement.pointer
  }
}

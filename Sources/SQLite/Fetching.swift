extension Row {
  /// Returns a cursor over the rows of a statement.
  public static func fetchCursor(_ statement: Statement, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(statement, arguments)
  }

  /// Returns a cursor over the rows of a statement.
  public static func fetchCursor(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> RowCursor {
    try RowCursor(db.makeStatement(sql: sql), arguments)
  }

  /// Returns all rows of a statement.
  public static func fetchAll(_ statement: Statement, arguments: StatementArguments = []) throws -> [Row] {
    try statement.begin(arguments)
    defer { statement.reset() }
    var rows: [Row] = []
    var names: [String] = []
    while try statement.step() {
      if rows.isEmpty { names = statement.columnNames }
      rows.append(Row(copying: statement, names: names))
    }
    return rows
  }

  /// Returns all rows of a statement.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Row] {
    try fetchAll(db.makeStatement(sql: sql), arguments: arguments)
  }

  /// Returns the first row of a statement, or nil if there is none.
  public static func fetchOne(_ statement: Statement, arguments: StatementArguments = []) throws -> Row? {
    try statement.begin(arguments)
    defer { statement.reset() }
    return try statement.step() ? Row(copying: statement, names: statement.columnNames) : nil
  }

  /// Returns the first row of a statement, or nil if there is none.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Row? {
    try fetchOne(db.makeStatement(sql: sql), arguments: arguments)
  }
}

extension DatabaseValueConvertible {
  /// Returns the first column of all rows of a statement.
  public static func fetchAll(_ statement: Statement, arguments: StatementArguments = []) throws -> [Self] {
    try statement.begin(arguments)
    defer { statement.reset() }
    var values: [Self] = []
    while try statement.step() { values.append(column(statement.sqliteStatement, 0)) }
    return values
  }

  /// Returns the first column of all rows of a statement.
  public static func fetchAll(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> [Self] {
    try fetchAll(db.makeStatement(sql: sql), arguments: arguments)
  }

  /// Returns the first column of the first row of a statement; nil for NULL, or if there is no row.
  public static func fetchOne(_ statement: Statement, arguments: StatementArguments = []) throws -> Self? {
    try statement.begin(arguments)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Row(of: statement)[0]
  }

  /// Returns the first column of the first row of a statement; nil for NULL, or if there is no row.
  public static func fetchOne(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Self? {
    try fetchOne(db.makeStatement(sql: sql), arguments: arguments)
  }
}

extension DatabaseValueConvertible where Self: Hashable {
  /// Returns the distinct values in the first column of a statement's rows.
  public static func fetchSet(_ db: Database, sql: String, arguments: StatementArguments = []) throws -> Set<Self> {
    try Set(fetchAll(db, sql: sql, arguments: arguments))
  }
}

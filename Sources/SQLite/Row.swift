import CLibSQLite

/// A row: its columns by their places, from 0, or by their names.
///
/// Columns are converted as SQLite does it: where a type without nil is asked for, NULL is 0, false or the empty text.
///
/// A row of a ``RowCursor`` is that on which the cursor stands, until it goes on; rows that were fetched are kept as they were.
public final class Row {
  private enum Source {
    case statement(Statement)
    case values([DatabaseValue], names: [String])
  }

  private let source: Source

  /// The row on which the statement stands.
  init(of statement: Statement) { source = .statement(statement) }

  /// A copy of the row on which the statement stands.
  init(copying statement: Statement, names: [String]) {
    let pointer = statement.sqliteStatement
    source = .values(
      (0..<sqlite3_column_count(pointer)).map { DatabaseValue(pointer, $0) }, names: names)
  }

  /// How many columns there are.
  public var count: Int {
    switch source {
    case .statement(let statement): Int(sqlite3_column_count(statement.sqliteStatement))
    case .values(let values, _): values.count
    }
  }

  /// The names of the columns.
  public var columnNames: [String] {
    switch source {
    case .statement(let statement): statement.columnNames
    case .values(_, let names): names
    }
  }

  /// All values.
  public var databaseValues: [DatabaseValue] {
    switch source {
    case .statement(let statement): (0..<Int32(count)).map { DatabaseValue(statement.sqliteStatement, $0) }
    case .values(let values, _): values
    }
  }

  /// The value of a column, converted. The place must be one of a column.
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    precondition(index >= 0 && index < count, "the row has \(count) columns, and none at \(index)")
    return switch source {
    case .statement(let statement): Value.column(statement.sqliteStatement, Int32(index))
    case .values(let values, _): Value.converted(values[index])
    }
  }

  /// The value of a column, converted; nil for NULL. The place must be one of a column.
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    isNull(index) ? nil : self[index] as Value
  }

  /// The value of a column, converted; NULL where there is none of that name.
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
    columnNames.firstIndex(of: name).map { self[$0] as Value } ?? Value.converted(.null)
  }

  /// The value of a column, converted; nil for NULL, and where there is none of that name.
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value? {
    columnNames.firstIndex(of: name).flatMap { self[$0] as Value? }
  }

  private func isNull(_ index: Int) -> Bool {
    switch source {
    case .statement(let statement): sqlite3_column_type(statement.sqliteStatement, Int32(index)) == SQLITE_NULL
    case .values(let values, _): values[index].isNull
    }
  }

  /// Calls `body` with the bytes of a text or blob, which are SQLite's and end with the call; nil for NULL.
  public func withUnsafeData<R>(at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    switch source {
    case .statement(let statement):
      let pointer = statement.sqliteStatement
      guard sqlite3_column_type(pointer, Int32(index)) != SQLITE_NULL else { return try body(nil) }
      let bytes = sqlite3_column_blob(pointer, Int32(index))
      return try body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(pointer, Int32(index)))))
    case .values(let values, _):
      guard !values[index].isNull else { return try body(nil) }
      return try [UInt8].converted(values[index]).withUnsafeBytes { try body($0) }
    }
  }
}

/// Goes through the rows of a statement.
public final class RowCursor {
  private let statement: Statement
  private let row: Row
  private var isOver = false

  init(_ statement: Statement, _ arguments: StatementArguments) throws {
    self.statement = statement
    row = Row(of: statement)
    try statement.begin(arguments)
  }

  deinit { if !isOver { statement.reset() } }

  /// The next row, which is there until the next call; nil after the last one.
  public func next() throws -> Row? {
    guard !isOver else { return nil }
    do {
      if try statement.step() { return row }
    } catch {
      isOver = true
      throw error
    }
    isOver = true
    // What was read is let go of at once, not with the cursor.
    statement.reset()
    return nil
  }
}

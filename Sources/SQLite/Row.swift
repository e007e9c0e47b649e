import CLibSQLite

/// A row, with its columns accessed by index, from 0, or by name.
///
/// Values are converted as SQLite does: a non-optional type reads NULL as 0, false or the empty text.
///
/// The row of a ``RowCursor`` is the cursor's current row and changes when the cursor advances; fetched rows are copies.
public final class Row {
  private enum Source {
    case statement(Statement)
    case values([DatabaseValue], names: [String])
  }

  private let source: Source

  /// The current row of the statement.
  init(of statement: Statement) { source = .statement(statement) }

  /// Copies the current row of the statement.
  init(copying statement: Statement, names: [String]) {
    let pointer = statement.sqliteStatement
    source = .values(
      (0..<sqlite3_column_count(pointer)).map { DatabaseValue(pointer, $0) }, names: names)
  }

  /// The number of columns.
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

  /// The values of all columns.
  public var databaseValues: [DatabaseValue] {
    switch source {
    case .statement(let statement): (0..<Int32(count)).map { DatabaseValue(statement.sqliteStatement, $0) }
    case .values(let values, _): values
    }
  }

  /// The converted value of the column at `index`, which must be valid.
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value {
    precondition(index >= 0 && index < count, "the row has \(count) columns, and none at \(index)")
    return switch source {
    case .statement(let statement): Value.column(statement.sqliteStatement, Int32(index))
    case .values(let values, _): Value.converted(values[index])
    }
  }

  /// The converted value of the column at `index`, which must be valid; nil for NULL.
  public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value? {
    isNull(index) ? nil : self[index] as Value
  }

  /// The converted value of a column; read as NULL if there is no column with this name.
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value {
    columnNames.firstIndex(of: name).map { self[$0] as Value } ?? Value.converted(.null)
  }

  /// The converted value of a column; nil for NULL, or if there is no column with this name.
  public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value? {
    columnNames.firstIndex(of: name).flatMap { self[$0] as Value? }
  }

  private func isNull(_ index: Int) -> Bool {
    switch source {
    case .statement(let statement): sqlite3_column_type(statement.sqliteStatement, Int32(index)) == SQLITE_NULL
    case .values(let values, _): values[index].isNull
    }
  }

  /// Calls `body` with the bytes of a text or blob, or with nil for NULL. The bytes belong to SQLite and are valid only during the call.
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

/// A cursor over the rows of a statement.
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

  /// Returns the next row, which is valid until the next call; nil after the last one.
  public func next() throws -> Row? {
    guard !isOver else { return nil }
    do {
      if try statement.step() { return row }
    } catch {
      isOver = true
      throw error
    }
    isOver = true
    // Release what was read now instead of when the cursor is released.
    statement.reset()
    return nil
  }
}

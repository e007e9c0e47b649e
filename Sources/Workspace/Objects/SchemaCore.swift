/// What a schema knows how to do with objects. Made once for each type.
@usableFromInline
final class SchemaCore<Root: Sendable>: Sendable {
  /// All that needs no type.
  @usableFromInline let code: RowCode
  /// The object of a row that has all columns. Errors do not name the table.
  @usableFromInline let decodeRow: @Sendable (RowReader) throws(UnreadableRow) -> Root

  init(
    table: TableDescription, fields: [FieldCode],
    decode: @escaping @Sendable (RowReader) throws(UnreadableRow) -> Root
  ) {
    code = RowCode(table: table, fields: fields)
    decodeRow = decode
  }

  var table: TableDescription { code.table }
  var statements: TableStatements { code.statements }

  /// The object of a row that has all columns.
  @inlinable
  func decode(_ row: RowReader) throws(UnreadableRow) -> Root {
    do {
      return try decodeRow(row)
    } catch {
      throw named(error)
    }
  }

  @usableFromInline
  func named(_ row: UnreadableRow) -> UnreadableRow {
    var row = row
    row.table = table.name
    return row
  }

  func key(of object: Root) throws(ChangeError) -> ObjectKey {
    try withUnsafePointer(to: object) { object throws(ChangeError) in try code.key(of: object) }
  }

  /// What a column would have of the object; nil if that cannot be kept.
  func value(_ column: Int, of object: Root) -> SQLValue? {
    withUnsafePointer(to: object) { code.knownValue(column, of: $0) }
  }

  /// All columns.
  func row(of object: Root) throws(ChangeError) -> [SQLValue] {
    try withUnsafePointer(to: object) { object throws(ChangeError) in try code.row(of: object) }
  }

  func areSame(_ left: Root, _ right: Root) -> Bool {
    withUnsafePointer(to: left) { left in withUnsafePointer(to: right) { code.changes(from: left, to: $0) == 0 } }
  }
}

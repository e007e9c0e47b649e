import Synchronization

/// The typed operations of a schema. Created once for each type.
@usableFromInline
final class SchemaCore<Root: Sendable>: Sendable {
  let table: TableDescription
  let statements: TableStatements
  private let makeCodes: [@Sendable () -> FieldCode]
  private let made = Mutex<RowCode?>(nil)
  /// Creates the object for a row with all columns. Errors do not name the table.
  @usableFromInline let decodeRow: @Sendable (RowReader) throws -> Root
  /// Keeps alive what `decodeRow` uses unretained.
  private let fields: [any StoredField<Root>]

  init(
    table: TableDescription, fields: [any StoredField<Root>], codes: [@Sendable () -> FieldCode],
    decode: @escaping @Sendable (RowReader) throws -> Root
  ) {
    self.table = table
    statements = TableStatements(table)
    makeCodes = codes
    decodeRow = decode
    self.fields = fields
  }

  /// The untyped operations. Created when an object is first written or compared.
  var code: RowCode {
    made.withLock { made in
      if let made { return made }
      let new = RowCode(table: table, statements: statements, fields: makeCodes.map { $0() })
      made = new
      return new
    }
  }

  /// Creates the object for a row with all columns. Throws an ``UnreadableRow``.
  @inlinable
  func decode(_ row: RowReader) throws -> Root {
    // Keeps the fields alive, which are read without references to them.
    defer { withExtendedLifetime(self) {} }
    do {
      return try decodeRow(row)
    } catch {
      throw named(error)
    }
  }

  @usableFromInline
  func named(_ error: any Error) -> any Error {
    guard var row = error as? UnreadableRow else { return error }
    row.table = table.name
    return row
  }

  func key(of object: Root) throws(ChangeError) -> ObjectKey {
    try withUnsafePointer(to: object) { object throws(ChangeError) in try code.key(of: object) }
  }

  /// Returns the object's value for a column; nil if it cannot be stored.
  func value(_ column: Int, of object: Root) -> SQLValue? {
    withUnsafePointer(to: object) { code.knownValue(column, of: $0) }
  }

  /// Returns the values of all columns.
  func row(of object: Root) throws(ChangeError) -> [SQLValue] {
    try withUnsafePointer(to: object) { object throws(ChangeError) in try code.row(of: object) }
  }

  func areSame(_ left: Root, _ right: Root) -> Bool {
    withUnsafePointer(to: left) { left in withUnsafePointer(to: right) { code.areSame(left, $0) } }
  }
}

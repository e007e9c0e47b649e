/// How the objects of one type are stored: the table, its columns, its key and its indexes.
public struct ObjectSchema<Root: Sendable>: Sendable {
  @usableFromInline let core: SchemaCore<Root>

  /// The untyped part of the schema.
  public var table: TableDescription { core.table }

  /// Declares the table of a type.
  ///
  /// - Parameters:
  ///   - name: The table's name: letters, digits and underscores.
  ///   - make: Creates an object from its fields; usually the memberwise initializer.
  ///   - field: The fields, in the order of `make`'s parameters.
  ///   - key: The fields that identify an object.
  ///   - indexes: The fields that queries search for, and those that must be unique besides the key.
  ///   - migrations: Changes that are not additions; see ``ObjectMigration``.
  @inlinable
  public init<each Value: Sendable>(
    _ name: String, _ make: @escaping @Sendable (repeat each Value) -> Root, _ field: repeat Field<Root, each Value>,
    key: [any KeyField<Root>], indexes: [ObjectIndex<Root>] = [], migrations: [ObjectMigration] = []
  ) {
    var columns: [ColumnDescription] = []
    var codes: [@Sendable () -> FieldCode] = []
    var fields: [any StoredField<Root>] = []
    repeat columns.append((each field).column)
    repeat codes.append((each field).makeCode)
    repeat fields.append(each field)
    let reading = (repeat FieldReading(each field))
    self.init(
      table: TableDescription(
        // No key paths here: the runtime of Swift 6.3 crashes when it creates one in the presence of parameter packs.
        name: name, columns: columns, key: key.map { $0.column.name }, indexes: indexes.map { $0.description },
        migrations: migrations),
      fields: fields, codes: codes,
      decode: { row in
        // Everything that depends on the types is in the fields: a generic function here would look up its types for every value.
        var column: Int32 = -1
        return make(repeat try (each reading).take(row, &column))
      })
  }

  /// Declares the table of a type whose key is one field.
  @inlinable
  public init<each Value: Sendable>(
    _ name: String, _ make: @escaping @Sendable (repeat each Value) -> Root, _ field: repeat Field<Root, each Value>,
    key: some KeyField<Root>, indexes: [ObjectIndex<Root>] = [], migrations: [ObjectMigration] = []
  ) {
    self.init(name, make, repeat each field, key: [key], indexes: indexes, migrations: migrations)
  }

  @usableFromInline
  init(
    table: TableDescription, fields: [any StoredField<Root>], codes: [@Sendable () -> FieldCode],
    decode: @escaping @Sendable (RowReader) throws -> Root
  ) {
    core = SchemaCore(table: table, fields: fields, codes: codes, decode: decode)
  }
}

/// A table as defined in the database, regardless of the type of its objects.
public struct TableDescription: Sendable {
  /// The name of the table.
  public let name: String
  /// The columns.
  public let columns: [ColumnDescription]
  /// The names of the key's columns.
  public let key: [String]
  /// The indexes.
  public let indexes: [IndexDescription]
  let migrations: [ObjectMigration]
  /// The positions of the key's columns among all columns.
  let keyPlaces: [Int]

  /// The number of the last migration.
  public var version: Int { migrations.count }

  @usableFromInline
  init(
    name: String, columns: [ColumnDescription], key: [String], indexes: [IndexDescription],
    migrations: [ObjectMigration]
  ) {
    self.name = name
    self.columns = columns
    self.key = key
    self.indexes = indexes
    self.migrations = migrations
    keyPlaces = key.compactMap { name in columns.firstIndex { $0.name == name } }
  }

  /// The error in the declaration, or nil.
  var fault: String? {
    for name in [name] + columns.map(\.name) where !Self.isName(name) {
      return
        "'\(name)' is not a name for a table or a field: use letters, digits and underscores, beginning with a letter"
    }
    if Self.reserved.contains(name.lowercased()) || name.lowercased().hasPrefix("sqlite_") {
      return "the table name '\(name)' is reserved"
    }
    if Set(columns.map { $0.name.lowercased() }).count < columns.count {
      return "'\(name)' has two fields with the same name"
    }
    if key.isEmpty || keyPlaces.count < key.count { return "the key of '\(name)' is not among its fields" }
    for index in indexes {
      for field in index.fields where !columns.contains(where: { $0.name == field }) {
        return "an index of '\(name)' is over '\(field)', which is not among its fields"
      }
    }
    return nil
  }

  private static let reserved: Set<String> = ["object_schema", "lease_record", "leases"]

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first < 128, Character(UnicodeScalar(first)).isLetter else { return false }
    return name.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "_") || (byte < 128 && (Character(UnicodeScalar(byte)).isLetter || (48...57).contains(byte)))
    }
  }
}

/// A row that does not match the declaration: written by another program, or by a version with other cases of an enumeration.
@usableFromInline
struct UnreadableRow: Error {
  /// Set by the schema: a field does not know its table.
  var table: String
  let field: String
  let value: SQLValue

  @usableFromInline
  init(table: String = "", field: String, value: SQLValue) {
    self.table = table
    self.field = field
    self.value = value
  }
}

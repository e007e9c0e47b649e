/// An index over fields of a type: declared with the type, built and maintained by SQLite.
public struct ObjectIndex<Root>: Sendable {
  /// The untyped part of the index.
  public let description: IndexDescription

  /// Finds and orders by these fields, in this order, followed by the key.
  public static func index(_ fields: any StoredField<Root>...) -> ObjectIndex {
    ObjectIndex(description: IndexDescription(fields: fields.map { $0.column.name }, isUnique: false))
  }

  /// Like an index, and no two objects may have the same values in these fields. Missing values are never the same.
  public static func unique(_ fields: any StoredField<Root>...) -> ObjectIndex {
    ObjectIndex(description: IndexDescription(fields: fields.map { $0.column.name }, isUnique: true))
  }
}

/// An index as defined in the database.
public struct IndexDescription: Sendable, Hashable {
  /// The names of its columns.
  public let fields: [String]
  /// Whether the values are unique.
  public let isUnique: Bool

  /// Returns the name in the database, which describes the index completely.
  func name(in table: String) -> String {
    "\(table)_\(isUnique ? "unique" : "by")_\(fields.joined(separator: "_"))"
  }

  func sql(for table: String) -> String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(name(in: table).quoted) ON \(table.quoted) "
      + "(\(fields.map(\.quoted).joined(separator: ", ")))"
  }
}

/// An index over fields of a type: declared where the type is, built and kept by SQLite.
public struct ObjectIndex<Root>: Sendable {
  /// What does not depend on the type.
  public let description: IndexDescription

  /// Finds and orders by these fields, in this order, and by the key after them.
  public static func index(_ fields: any StoredField<Root>...) -> ObjectIndex {
    ObjectIndex(description: IndexDescription(fields: fields.map { $0.column.name }, isUnique: false))
  }

  /// As an index; and no two objects may have the same values in these fields. Missing values are never the same.
  public static func unique(_ fields: any StoredField<Root>...) -> ObjectIndex {
    ObjectIndex(description: IndexDescription(fields: fields.map { $0.column.name }, isUnique: true))
  }
}

/// An index as the file knows it.
public struct IndexDescription: Sendable, Hashable {
  /// The names of its columns.
  public let fields: [String]
  /// Whether the values are different for all objects.
  public let isUnique: Bool

  /// Its name in the file, which tells everything about it.
  func name(in table: String) -> String {
    "\(table)_\(isUnique ? "unique" : "by")_\(fields.joined(separator: "_"))"
  }

  func sql(for table: String) -> String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX IF NOT EXISTS \(name(in: table).quoted) ON \(table.quoted) "
      + "(\(fields.map(\.quoted).joined(separator: ", ")))"
  }
}

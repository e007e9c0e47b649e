/// What a schema knows how to do with objects. Made once for each type.
final class SchemaCore<Root: Sendable>: Sendable {
  let table: TableDescription
  let fields: [FieldCode]
  let statements: TableStatements
  private let decodeRow: @Sendable (RowReader) throws(UnreadableRow) -> Root
  /// The columns of the key, as bits of a mask like that of ``changes(from:to:)``.
  let keyMask: UInt64

  init(
    table: TableDescription, fields: [FieldCode],
    decode: @escaping @Sendable (RowReader) throws(UnreadableRow) -> Root
  ) {
    self.table = table
    self.fields = fields
    decodeRow = decode
    statements = TableStatements(table)
    keyMask = table.keyPlaces.reduce(0) { $0 | Self.bit($1) }
  }

  /// The object of a row that has all columns.
  func decode(_ row: RowReader) throws(UnreadableRow) -> Root {
    do {
      return try decodeRow(row)
    } catch {
      var error = error
      error.table = table.name
      throw error
    }
  }

  /// Puts all fields into a statement's parameters.
  func write(_ object: Root, to row: RowWriter) throws(ChangeError) {
    try withUnsafePointer(to: object) { object throws(ChangeError) in
      for field in fields { try write(field, of: object, to: row) }
    }
  }

  /// Puts those fields into a statement's parameters that a mask names.
  func write(_ object: Root, _ mask: UInt64, to row: RowWriter) throws(ChangeError) {
    try withUnsafePointer(to: object) { object throws(ChangeError) in
      for (place, field) in fields.enumerated() where mask & Self.bit(place) != 0 {
        try write(field, of: object, to: row)
      }
    }
  }

  /// Puts the key into a statement's parameters.
  func writeKey(of object: Root, to row: RowWriter) throws(ChangeError) {
    try withUnsafePointer(to: object) { object throws(ChangeError) in
      for place in table.keyPlaces { try write(fields[place], of: object, to: row) }
    }
  }

  private func write(_ field: FieldCode, of object: UnsafePointer<Root>, to row: RowWriter) throws(ChangeError) {
    do {
      try field.write(UnsafeRawPointer(object), row)
    } catch {
      throw unsuitable(field, error)
    }
  }

  func key(of object: Root) throws(ChangeError) -> ObjectKey {
    try withUnsafePointer(to: object) { object throws(ChangeError) in
      if table.keyPlaces.count == 1 { return ObjectKey([try value(table.keyPlaces[0], of: object)]) }
      var values: [SQLValue] = []
      for place in table.keyPlaces { values.append(try value(place, of: object)) }
      return ObjectKey(values)
    }
  }

  /// What a column would have of the object; nil if that cannot be kept.
  func value(_ column: Int, of object: Root) -> SQLValue? {
    withUnsafePointer(to: object) { try? fields[column].value(UnsafeRawPointer($0)) }
  }

  /// All columns.
  func row(of object: Root) throws(ChangeError) -> [SQLValue] {
    try withUnsafePointer(to: object) { object throws(ChangeError) in
      var values: [SQLValue] = []
      values.reserveCapacity(fields.count)
      for place in fields.indices { values.append(try value(place, of: object)) }
      return values
    }
  }

  private func value(_ place: Int, of object: UnsafePointer<Root>) throws(ChangeError) -> SQLValue {
    do {
      return try fields[place].value(UnsafeRawPointer(object))
    } catch {
      throw unsuitable(fields[place], error)
    }
  }

  private func unsuitable(_ field: FieldCode, _ error: UnsuitableValue) -> ChangeError {
    ChangeError(table: table.name, cause: .unsuitable(field: field.name, reason: error.reason))
  }

  /// The columns that differ, as bits. All columns from the 64th on are one bit.
  func changes(from old: Root, to new: Root) -> UInt64 {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in
        var mask: UInt64 = 0
        for (place, field) in fields.enumerated() where !field.areSame(UnsafeRawPointer(old), UnsafeRawPointer(new)) {
          mask |= Self.bit(place)
        }
        return mask
      }
    }
  }

  func areSame(_ left: Root, _ right: Root) -> Bool { changes(from: left, to: right) == 0 }

  private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(min(place, 63)) }

  /// The columns of a mask.
  func columns(of mask: UInt64) -> [String] {
    table.columns.indices.filter { mask & Self.bit($0) != 0 }.map { table.columns[$0].name }
  }
}

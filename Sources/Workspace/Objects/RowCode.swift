/// The operations on objects of one type by address, without its type, so that nothing must be looked up at run time.
@usableFromInline
final class RowCode: Sendable {
  let table: TableDescription
  private let fields: [FieldCode]
  // Unretained uses of `fields`, which keeps the code alive. Methods that use them must therefore extend the lifetime of this object explicitly: the
  // compiler may release an object after its last visible use.
  private let uses: [FieldUse]
  private let keyUses: [FieldUse]
  /// The positions of the fields stored in this table, as opposed to those looked up in another.
  private let storedPlaces: [Int]
  let statements: TableStatements
  /// The columns of the key, as a mask like that of ``changes(from:to:)``.
  @usableFromInline let keyMask: UInt64

  init(table: TableDescription, statements: TableStatements, fields: [FieldCode]) {
    self.table = table
    self.fields = fields
    uses = fields.map(FieldUse.init)
    keyUses = table.keyPlaces.map { FieldUse(fields[$0]) }
    storedPlaces = table.columns.indices.filter { table.columns[$0].lookup == nil }
    self.statements = statements
    keyMask = table.keyPlaces.reduce(0) { $0 | Self.bit($1) }
  }

  /// Writes all fields to a statement's parameters.
  func write(_ object: UnsafeRawPointer, to row: RowWriter) throws(ChangeError) {
    defer { withExtendedLifetime(self) {} }
    for place in storedPlaces {
      if let error = uses[place].write(object, to: row) { throw unsuitable(fields[place], error) }
    }
  }

  /// Writes the fields in the mask to a statement's parameters.
  func write(_ object: UnsafeRawPointer, _ mask: UInt64, to row: RowWriter) throws(ChangeError) {
    defer { withExtendedLifetime(self) {} }
    for place in storedPlaces where mask & Self.bit(place) != 0 {
      if let error = uses[place].write(object, to: row) { throw unsuitable(fields[place], error) }
    }
  }

  /// Writes the key to a statement's parameters.
  func writeKey(of object: UnsafeRawPointer, to row: RowWriter) throws(ChangeError) {
    defer { withExtendedLifetime(self) {} }
    for place in keyUses.indices {
      if let error = keyUses[place].write(object, to: row) {
        throw unsuitable(fields[table.keyPlaces[place]], error)
      }
    }
  }

  @usableFromInline
  func key(of object: UnsafeRawPointer) throws(ChangeError) -> ObjectKey {
    if table.keyPlaces.count == 1 { return ObjectKey([try value(table.keyPlaces[0], of: object)]) }
    var values: [SQLValue] = []
    for place in table.keyPlaces { values.append(try value(place, of: object)) }
    return ObjectKey(values)
  }

  /// Returns the object's value for a column; nil if it cannot be stored.
  func knownValue(_ column: Int, of object: UnsafeRawPointer) -> SQLValue? {
    try? fields[column].value(object)
  }

  /// Returns the values of all columns.
  func row(of object: UnsafeRawPointer) throws(ChangeError) -> [SQLValue] {
    var values: [SQLValue] = []
    values.reserveCapacity(fields.count)
    for place in fields.indices { values.append(try value(place, of: object)) }
    return values
  }

  private func value(_ place: Int, of object: UnsafeRawPointer) throws(ChangeError) -> SQLValue {
    do {
      return try fields[place].value(object)
    } catch {
      throw unsuitable(fields[place], error)
    }
  }

  private func unsuitable(_ field: FieldCode, _ error: UnsuitableValue) -> ChangeError {
    ChangeError(table: table.name, cause: .unsuitable(field: field.name, reason: error.reason))
  }

  /// Returns the columns that differ, as a bit mask. All columns from the 64th on share one bit.
  @usableFromInline
  func changes(from old: UnsafeRawPointer, to new: UnsafeRawPointer) -> UInt64 {
    defer { withExtendedLifetime(self) {} }
    var mask: UInt64 = 0
    for place in storedPlaces where !uses[place].hasSame(old, new) { mask |= Self.bit(place) }
    return mask
  }

  /// Returns whether all fields are identical, including those looked up in other tables.
  func areSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    defer { withExtendedLifetime(self) {} }
    return uses.allSatisfy { $0.hasSame(left, right) }
  }

  private static func bit(_ place: Int) -> UInt64 { 1 << UInt64(min(place, 63)) }

  /// Returns the names of the columns in the mask.
  func columns(of mask: UInt64) -> [String] {
    storedPlaces.filter { mask & Self.bit($0) != 0 }.map { table.columns[$0].name }
  }
}

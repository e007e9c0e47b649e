/// A property of a ``Storable`` type and the column that stores it. In queries it stands for the column's value.
public final class Field<Root, Value: Sendable>: QueryExpression<Root, Value>, StoredField, @unchecked Sendable {
  // @unchecked: like its superclass, it has only constants.

  /// The description of the column.
  public let column: ColumnDescription
  /// Creates the code for the property. Called when needed: a program that only reads creates no key paths.
  @usableFromInline let makeCode: @Sendable () -> FieldCode
  /// Reads the value from a column of a row.
  @usableFromInline let read: @Sendable (RowReader, Int32) throws -> Value
  let encode: @Sendable (Value) throws(UnsuitableValue) -> SQLValue

  /// Declares a field that is stored as a value of its column's type.
  ///
  /// `defaultValue` is the value for existing rows when a field is added to a type. A field without a default can be added later only if it is optional.
  @inlinable
  public convenience init(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> any KeyPath<Root, Value> & Sendable,
    default defaultValue: Value? = nil
  ) where Value: ColumnValue {
    self.init(
      name, storage: Value.storage, isOptional: Value.isOptional, defaultValue: defaultValue,
      makeCode: {
        let place = PropertyPlace(path())
        return FieldCode(
          name: name, bytes: place.bytes,
          write: { object, row throws(UnsuitableValue) in try place.read(object).write(to: row) },
          value: { object throws(UnsuitableValue) in try place.read(object).columnValue() },
          areSame: { Value.areSame(place.read($0), place.read($1)) })
      },
      read: { row, column in
        if let value = Value.read(row, column) { return value }
        throw UnreadableRow(field: name, value: row.value(column))
      },
      encode: { value throws(UnsuitableValue) in try value.columnValue() }, decode: { Value.from($0) })
  }

  /// Declares a field that is stored as JSON text; nil is stored as NULL. Queries can only test whether it is missing.
  public convenience init(
    _ name: String, json path: @autoclosure @escaping @Sendable () -> any KeyPath<Root, Value> & Sendable,
    default defaultValue: Value? = nil
  ) where Value: Codable {
    let encode: @Sendable (Value) throws(UnsuitableValue) -> SQLValue = { value throws(UnsuitableValue) in
      if let optional = value as? any OptionalValue, optional.isMissing { return .null }
      return try JSONColumn.encode(value)
    }
    let decode: @Sendable (SQLValue) -> Value? = { value in
      if case .null = value { return (Value.self as? any OptionalValue.Type)?.missing as? Value }
      return JSONColumn.decode(value)
    }
    self.init(
      name, storage: .text, isOptional: Value.self is any OptionalValue.Type, defaultValue: defaultValue,
      makeCode: {
        let place = PropertyPlace(path())
        return FieldCode(
          name: name, bytes: place.bytes,
          write: { object, row throws(UnsuitableValue) in row.write(try encode(place.read(object))) },
          value: { object throws(UnsuitableValue) in try encode(place.read(object)) },
          areSame: { left, right in
            guard let left = try? encode(place.read(left)), let right = try? encode(place.read(right)) else {
              return false
            }
            return left.isSame(as: right)
          })
      },
      read: { row, column in
        let value = row.value(column)
        if let part = decode(value) { return part }
        throw UnreadableRow(field: name, value: value)
      },
      encode: encode, decode: decode)
  }

  /// Declares a field that shows a value of another object: the one whose `key` equals this object's `reference`; nil if there is none. It is fetched with
  /// the object, and never written.
  public convenience init<Other: Storable, Shown: ColumnValue, Key: ColumnValue>(
    _ name: String, _ path: @autoclosure @escaping @Sendable () -> any KeyPath<Root, Value> & Sendable,
    of shown: Field<Other, Shown>, where key: Field<Other, Key>, equals reference: Field<Root, Key>
  ) where Root: Storable, Value == Shown? {
    let lookup = ColumnLookup(
      table: Other.schema.table.name, shown: shown.column.name, key: key.column.name, reference: reference.column.name)
    self.init(
      name, storage: Value.storage, isOptional: true, defaultValue: nil,
      makeCode: {
        let place = PropertyPlace(path())
        return FieldCode(
          name: name, bytes: place.bytes,
          write: { object, row throws(UnsuitableValue) in try place.read(object).write(to: row) },
          value: { object throws(UnsuitableValue) in try place.read(object).columnValue() },
          areSame: { Value.areSame(place.read($0), place.read($1)) })
      },
      lookup: lookup, node: .lookup(lookup, of: { Root.schema.table.name }),
      read: { row, column in
        if let value = Value.read(row, column) { return value }
        throw UnreadableRow(field: name, value: row.value(column))
      },
      encode: { value throws(UnsuitableValue) in try value.columnValue() }, decode: { Value.from($0) })
  }

  @usableFromInline
  init(
    _ name: String, storage: ColumnStorage, isOptional: Bool, defaultValue: Value?,
    makeCode: @escaping @Sendable () -> FieldCode, lookup: ColumnLookup? = nil, node: QueryNode? = nil,
    read: @escaping @Sendable (RowReader, Int32) throws -> Value,
    encode: @escaping @Sendable (Value) throws(UnsuitableValue) -> SQLValue,
    decode: @escaping @Sendable (SQLValue) -> Value?
  ) {
    column = ColumnDescription(
      name: name, storage: storage, isOptional: isOptional, defaultValue: defaultValue.flatMap { try? encode($0) },
      lookup: lookup)
    self.makeCode = makeCode
    self.read = read
    self.encode = encode
    super.init(node: node ?? .column(name), decode: decode)
  }
}

/// Reads the values of a field without reference counting. Its owner must keep the field alive.
@usableFromInline
struct FieldReading<Root, Value: Sendable>: Sendable {
  @usableFromInline let field: Unmanaged<Field<Root, Value>>

  @inlinable
  init(_ field: Field<Root, Value>) {
    self.field = Unmanaged.passUnretained(field)
  }

  /// Returns the value in the next column, or throws an ``UnreadableRow``. The throws clause is untyped, because the field would have to be retained for a
  /// closure with typed throws.
  @inlinable
  func take(_ row: RowReader, _ column: inout Int32) throws -> Value {
    column += 1
    let place = column
    return try field._withUnsafeGuaranteedRef { try $0.read(row, place) }
  }
}

/// A field, regardless of the type of its value. Only ``Field`` conforms.
public protocol StoredField<Root>: Sendable {
  /// The type that has the field.
  associatedtype Root
  /// The description of the column.
  var column: ColumnDescription { get }
}

/// A field that may be part of a key, since its value is never missing. Only ``Field`` conforms.
public protocol KeyField<Root>: StoredField {}

extension Field: KeyField where Value: KeyValue {}

/// A column of a table, as defined in the database.
public struct ColumnDescription: Sendable, Hashable {
  /// The name of the column.
  public let name: String
  /// How the values are stored.
  public let storage: ColumnStorage
  /// Whether values may be missing.
  public let isOptional: Bool
  /// The value for existing rows when the column is added.
  public let defaultValue: SQLValue?
  /// Where to look up the value, if it is in another table.
  let lookup: ColumnLookup?
}

/// Where to look up a value that a field shows from another table.
@usableFromInline
struct ColumnLookup: Sendable, Hashable {
  let table: String
  let shown: String
  let key: String
  let reference: String

  /// Returns the SQL expression for the value, for rows of the table `referring`.
  func expression(in referring: String) -> String {
    "(SELECT other.\(shown.quoted) FROM \(table.quoted) other WHERE other.\(key.quoted) = \(referring.quoted).\(reference.quoted))"
  }
}

/// An optional whose type is only known at run time.
private protocol OptionalValue {
  static var missing: Self { get }
  var isMissing: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate static var missing: Self { nil }
  fileprivate var isMissing: Bool {
    if case nil = self { true } else { false }
  }
}

import Glibc

/// What can be done with one property of an object without knowing types: the object is given by its address.
///
/// A stored property is read at its place in the object's memory. Going by way of its key path takes as long as SQLite needs for the
/// whole row.
@usableFromInline
struct FieldCode: Sendable {
  let name: String
  /// The bytes of an object that are the property; empty if it is computed.
  let bytes: Range<Int>
  let write: @Sendable (UnsafeRawPointer, RowWriter) throws(UnsuitableValue) -> Void
  let value: @Sendable (UnsafeRawPointer) throws(UnsuitableValue) -> SQLValue
  private let areSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  @usableFromInline
  init(
    name: String, bytes: Range<Int>,
    write: @escaping @Sendable (UnsafeRawPointer, RowWriter) throws(UnsuitableValue) -> Void,
    value: @escaping @Sendable (UnsafeRawPointer) throws(UnsuitableValue) -> SQLValue,
    areSame: @escaping @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool
  ) {
    self.name = name
    self.bytes = bytes
    self.write = write
    self.value = value
    self.areSame = areSame
  }

  /// Whether two objects have the same in this property. Values of the same bytes are the same, whatever they are: most fields of an object
  /// that was changed are copies of what they were.
  func hasSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    if !bytes.isEmpty, memcmp(left + bytes.lowerBound, right + bytes.lowerBound, bytes.count) == 0 { return true }
    return areSame(left, right)
  }
}

/// Where a property is.
@usableFromInline
struct PropertyPlace<Root, Value>: Sendable {
  @usableFromInline let path: any KeyPath<Root, Value> & Sendable
  /// Where it begins in an object; -1 if it is computed.
  @usableFromInline let offset: Int

  @inlinable
  init(_ path: any KeyPath<Root, Value> & Sendable) {
    self.path = path
    offset = MemoryLayout<Root>.offset(of: path) ?? -1
  }

  /// The bytes of an object that are the property; empty if it is computed.
  @inlinable var bytes: Range<Int> { offset < 0 ? 0..<0 : offset..<offset + MemoryLayout<Value>.size }

  @inlinable
  func read(_ object: UnsafeRawPointer) -> Value {
    offset < 0
      ? object.assumingMemoryBound(to: Root.self).pointee[keyPath: path]
      : (object + offset).assumingMemoryBound(to: Value.self).pointee
  }
}

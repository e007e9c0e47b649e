import Glibc

/// The operations on one property of an object, without its type: objects are passed by address.
///
/// A stored property is read at its offset in the object's memory. Access through its key path takes as long as SQLite needs for the whole row.
///
/// A class, because constants of an object are used in place: calling a closure of a struct in an array counts a reference, which takes as long as the
/// call itself.
@usableFromInline
final class FieldCode: Sendable {
  let name: String
  /// The byte range of the property in an object; empty if it is computed.
  let bytes: Range<Int>
  let write: @Sendable (UnsafeRawPointer, RowWriter) throws(UnsuitableValue) -> Void
  let value: @Sendable (UnsafeRawPointer) throws(UnsuitableValue) -> SQLValue
  let areSame: @Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool

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
}

/// A field's code without reference counting, with its most frequent operations. Its owner must keep the code alive.
struct FieldUse: Sendable {
  private let code: Unmanaged<FieldCode>
  private let bytes: Range<Int>

  init(_ code: FieldCode) {
    self.code = Unmanaged.passUnretained(code)
    bytes = code.bytes
  }

  /// Writes the property to a statement's next parameter, or returns why that is not possible.
  func write(_ object: UnsafeRawPointer, to row: RowWriter) -> UnsuitableValue? {
    code._withUnsafeGuaranteedRef { code in
      do throws(UnsuitableValue) {
        try code.write(object, row)
        return nil
      } catch {
        return error
      }
    }
  }

  /// Returns whether two objects have identical values in this property. Values with the same bytes are identical, whatever their type: most fields of a
  /// changed object are copies of the old ones.
  func hasSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    if !bytes.isEmpty, memcmp(left + bytes.lowerBound, right + bytes.lowerBound, bytes.count) == 0 { return true }
    return code._withUnsafeGuaranteedRef { $0.areSame(left, right) }
  }
}

/// The location of a property.
@usableFromInline
struct PropertyPlace<Root, Value>: Sendable {
  @usableFromInline let path: any KeyPath<Root, Value> & Sendable
  /// The offset in an object; -1 if the property is computed.
  @usableFromInline let offset: Int

  @inlinable
  init(_ path: any KeyPath<Root, Value> & Sendable) {
    self.path = path
    offset = MemoryLayout<Root>.offset(of: path) ?? -1
  }

  /// The byte range of the property in an object; empty if it is computed.
  @inlinable var bytes: Range<Int> { offset < 0 ? 0..<0 : offset..<offset + MemoryLayout<Value>.size }

  @inlinable
  func read(_ object: UnsafeRawPointer) -> Value {
    offset < 0
      ? object.assumingMemoryBound(to: Root.self).pointee[keyPath: path]
      : (object + offset).assumingMemoryBound(to: Value.self).pointee
  }
}

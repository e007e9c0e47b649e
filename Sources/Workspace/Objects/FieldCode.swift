import Glibc

/// What can be done with one property of an object without knowing types: the object is given by its address.
///
/// A stored property is read at its place in the object's memory. Going by way of its key path takes as long as SQLite needs for the
/// whole row.
///
/// A class, because a constant of an object is used where it is: to call a closure that a struct in an array has is to count a reference to
/// it, which takes as long as what it does.
@usableFromInline
final class FieldCode: Sendable {
  let name: String
  /// The bytes of an object that are the property; empty if it is computed.
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

/// A field's code without a reference to count, and what is asked of it most often. Whoever has it holds the code.
struct FieldUse: Sendable {
  private let code: Unmanaged<FieldCode>
  private let bytes: Range<Int>

  init(_ code: FieldCode) {
    self.code = Unmanaged.passUnretained(code)
    bytes = code.bytes
  }

  /// Puts the property into a statement's next parameter, or returns why that is not possible.
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

  /// Whether two objects have the same in this property. Values of the same bytes are the same, whatever they are: most fields of an object
  /// that was changed are copies of what they were.
  func hasSame(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    if !bytes.isEmpty, memcmp(left + bytes.lowerBound, right + bytes.lowerBound, bytes.count) == 0 { return true }
    return code._withUnsafeGuaranteedRef { $0.areSame(left, right) }
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

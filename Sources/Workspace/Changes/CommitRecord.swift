/// What a transaction has changed, as far as somebody may want to know.
struct CommitRecord: Sendable {
  /// The objects of types that were subscribed to when the transaction began.
  var changes: [ObjectIdentifier: any ObjectChanges] = [:]
  /// Other types of which something has changed.
  var types: Set<ObjectIdentifier> = []
  /// Types of which objects in some groups have changed.
  var parts: [ObjectIdentifier: Set<String>] = [:]
  /// Something was changed that nobody took down: by another process, or with SQL.
  var isUnknown = false

  static let unknown = CommitRecord(isUnknown: true)
}

/// What happened to objects of one type, in order. The type is known to whoever knows the type's identifier.
@usableFromInline
protocol ObjectChanges: AnyObject, Sendable {
  var keys: [ObjectKey] { get }
  /// Calls `body` with what each row had, and has, in a column.
  func forEach(_ body: (_ value: (_ column: Int) -> SQLValue?) -> Void)
}

/// What happened to objects of a type, in order.
///
/// Written by one transaction, and only read once that is committed, which is what makes the unchecked conformance sound.
@usableFromInline
final class TypeChanges<T: Storable>: ObjectChanges, @unchecked Sendable {
  @usableFromInline var keys: [ObjectKey] = []
  /// Each object before; nil if it is new, or if nobody needs it.
  @usableFromInline var old: [T?] = []
  /// Each object after; nil if it is gone.
  @usableFromInline var new: [T?] = []
  private let core: SchemaCore<T>

  init(_ core: SchemaCore<T>) {
    self.core = core
  }

  @inlinable
  func append(_ key: ObjectKey, from old: T?, to new: T?) {
    keys.append(key)
    self.old.append(old)
    self.new.append(new)
  }

  @usableFromInline
  func forEach(_ body: ((Int) -> SQLValue?) -> Void) {
    for place in keys.indices {
      for object in [old[place], new[place]] {
        guard let object else { continue }
        body { core.value($0, of: object) }
      }
    }
  }
}

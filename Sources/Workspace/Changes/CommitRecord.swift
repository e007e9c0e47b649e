/// The changes of a transaction, as far as subscribers may need them.
struct CommitRecord: Sendable {
  /// The changes to types that had subscribers when the transaction began.
  var changes: [ObjectIdentifier: any ObjectChanges] = [:]
  /// Other types of which something has changed.
  var types: Set<ObjectIdentifier> = []
  /// Types of which objects in certain groups have changed.
  var parts: [ObjectIdentifier: Set<String>] = [:]
  /// Whether there are unrecorded changes, by another process or with SQL.
  var isUnknown = false

  static let unknown = CommitRecord(isUnknown: true)
}

/// The changes to objects of one type, in order. The type follows from the type's identifier.
@usableFromInline
protocol ObjectChanges: AnyObject, Sendable {
  var keys: [ObjectKey] { get }
  /// Calls `body` for each change, with a closure that returns each value of a column, before and after.
  func forEach(_ body: (_ value: (_ column: Int) -> SQLValue?) -> Void)
}

/// The changes to objects of a type, in order.
///
/// Written by one transaction and only read after its commit, which makes the unchecked conformance sound.
@usableFromInline
final class TypeChanges<T: Storable>: ObjectChanges, @unchecked Sendable {
  @usableFromInline var keys: [ObjectKey] = []
  /// Each object before the change; nil if it is new, or not needed.
  @usableFromInline var old: [T?] = []
  /// Each object after the change; nil if it was deleted.
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

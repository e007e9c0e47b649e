/// The types whose objects were changed with SQL. A type can be limited to groups: then all changed objects are in one of these groups, before and after
/// the change.
///
/// Too many types or groups do no harm; if one is missing, its subscribers are not notified of the change. The meaning of a group is up to the code that
/// changes objects of the type and the code that subscribes to them: see ``OpenWorkspace/subscribe(changesOf:in:changeHandler:)``.
public struct ChangedTypes: Sendable, ExpressibleByArrayLiteral {
  /// The types of which any object may have changed.
  private(set) var whole: Set<ObjectIdentifier> = []
  /// The groups of the other types.
  private(set) var parts: [ObjectIdentifier: Set<String>] = [:]

  /// Creates a set of types of which any object may have changed.
  public init(arrayLiteral types: any Storable.Type...) {
    for type in types { insert(type) }
  }

  /// Adds all objects of a type.
  public mutating func insert(_ type: any Storable.Type) {
    whole.insert(ObjectIdentifier(type))
    parts[ObjectIdentifier(type)] = nil
  }

  /// Adds the objects of a type in a group.
  public mutating func insert(_ type: any Storable.Type, in group: String) {
    if !whole.contains(ObjectIdentifier(type)) { parts[ObjectIdentifier(type), default: []].insert(group) }
  }

  /// Adds objects of a type that are in no group with subscribers.
  public mutating func insertUngrouped(_ type: any Storable.Type) {
    if !whole.contains(ObjectIdentifier(type)) { parts[ObjectIdentifier(type), default: []].formUnion([]) }
  }

  /// Adds the changes of another set.
  public mutating func formUnion(_ other: ChangedTypes) {
    whole.formUnion(other.whole)
    parts.merge(other.parts) { $0.union($1) }
    for type in whole { parts[type] = nil }
  }
}

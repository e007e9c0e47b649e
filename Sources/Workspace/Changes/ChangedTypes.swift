/// Of which types objects were changed with SQL: those of a type that is changed in part are in one of some groups, before and after.
///
/// Too many are no mistake; whoever follows one that is missing hears nothing of its change. What a group is, is up to whoever changes objects of the type and whoever
/// follows them: see ``OpenWorkspace/subscribe(changesOf:in:changeHandler:)``.
public struct ChangedTypes: Sendable, ExpressibleByArrayLiteral {
  /// Those of which any object may be another one.
  private(set) var whole: Set<ObjectIdentifier> = []
  /// The groups of the others.
  private(set) var parts: [ObjectIdentifier: Set<String>] = [:]

  /// Of these types any object may be another one.
  public init(arrayLiteral types: any Storable.Type...) {
    for type in types { insert(type) }
  }

  /// Adds all objects of a type.
  public mutating func insert(_ type: any Storable.Type) {
    whole.insert(ObjectIdentifier(type))
    parts[ObjectIdentifier(type)] = nil
  }

  /// Adds the objects of a type that are in a group.
  public mutating func insert(_ type: any Storable.Type, in group: String) {
    if !whole.contains(ObjectIdentifier(type)) { parts[ObjectIdentifier(type), default: []].insert(group) }
  }

  /// Adds objects of a type that are in no group which anybody follows.
  public mutating func insertUngrouped(_ type: any Storable.Type) {
    if !whole.contains(ObjectIdentifier(type)) { parts[ObjectIdentifier(type), default: []].formUnion([]) }
  }

  /// Adds what others have changed.
  public mutating func formUnion(_ other: ChangedTypes) {
    whole.formUnion(other.whole)
    parts.merge(other.parts) { $0.union($1) }
    for type in whole { parts[type] = nil }
  }
}
